// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/base/interrupt.hpp"
#include "scheduler/proofs/proof_progress.hpp"
#include "validate/logs/document.hpp"
#include "work/incident.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
namespace {

// The model that is asked for: one of histories ("lease:ttl=15s"), or a system with its parameters
// ("lease_db:ttl=15s", "canal/faithful:max_per=3"), whose lines are explained by what it promises
// and whose steps the run is then written with.
struct IncidentModel {
    std::string model;   // of histories
    std::string system;  // "canal/faithful"; empty: nobody named one
};

// The number that says how long the system's leases last, or how many hold at once.
std::string promise_of(const RegisteredSystem& system) {
    for (const OwnNumber& number : system.vocabulary.parameters) {
        if (number.name == "ttl" || number.name == "locktimeout") {
            return number.name;
        }
    }
    return "max_per";
}

// UsageError: neither.
IncidentModel incident_model(const Registry& registry, const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    std::string name = text.substr(0, colon);
    const auto& systems = registry.systems();
    const bool is_system =
        name.find('/') != std::string::npos ||
        std::any_of(systems.begin(), systems.end(),
                    [&](const RegisteredSystem& system) { return system.system == name; });
    if (!is_system) {
        return {text, ""};
    }
    name += name.find('/') == std::string::npos ? "/faithful" : "";
    const RegisteredSystem& system = system_named(registry, "--model", name);
    const std::string promise = promise_of(system);
    const std::string beginning = promise + "=";
    const std::string parameters = colon < text.size() ? text.substr(colon + 1) : "";
    if (!parameters.starts_with(beginning) || parameters.find(',') != std::string::npos) {
        throw UsageError("--model: " + text + ": a system's model says its " + promise +
                         " alone: " + name + ":" + promise +
                         (promise == "max_per" ? "=3" : "=15s"));
    }
    const std::string value = parameters.substr(beginning.size());
    return {promise == "max_per" ? "semaphore:" + value : "lease:ttl=" + value, name};
}

// A file has the run of one lock: of "night.json", "night-2.json" is that of the second one.
std::string path_for_further(const std::string& path, std::size_t lock) {
    const std::filesystem::path whole(path);
    const std::string name =
        whole.stem().string() + "-" + std::to_string(lock) + whole.extension().string();
    return (whole.parent_path() / name).string();
}

RunReport report_of(const logs::ToldAnswer& told, const std::string& model,
                    const std::string& further) {
    nlohmann::ordered_json lock =
        logs::lock_document(told.answer, told.sources, told.form, told.text);
    lock["further"] = further;
    return incident_report(lock, model, told.seconds);
}

}  // namespace

ExplainedLogs explain_logs(const Desk& desk, const logs::Asked& asked, bool wants_reports,
                           std::ostream& out) {
    const IncidentModel model = incident_model(desk.registry, asked.model);
    if (asked.program && (!model.system.empty() || asked.variant)) {
        throw UsageError(
            "--program: the program is the lock: --model says what it has promised "
            "(mutex, semaphore:3, lease:ttl=15s), and it has no --variant");
    }
    logs::Asked question = asked;
    question.model = model.model;
    question.shown_model = asked.model;
    IncidentAsked incident;
    incident.system = model.system;
    incident.variant = asked.variant;
    if (asked.program) {
        incident.program = {*asked.program, moment_after(asked.seconds_max), asked.bytes_max};
    }
    std::optional<OutputClaim> claim;
    OutputRule rule = output_rule(desk, kIncidentMark);
    if (asked.save) {
        for (const std::string& log : asked.logs) {
            rule.inputs.push_back(logs::log_file_of(log).path);
        }
        claim.emplace(*asked.save, rule);
        incident.save = &*claim;
    }
    incident.stop = interrupt_requested;
    const auto watcher = desk.watch({0, asked.seconds_max});
    const auto begin = std::chrono::steady_clock::now();
    question.on_progress = [&](std::size_t explained, std::size_t lines, std::uint64_t) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        proofs::ProofProgress progress;
        progress.doing = "explaining";
        progress.what = "lines";
        progress.done = explained;
        progress.all = lines;
        progress.seconds = passed.count();
        watcher->show(progress);
    };
    std::size_t locks = 0;
    ExplainedLogs explained;
    const auto ask = [&](const logs::ToldAnswer& told) {
        watcher->wipe();
        if (told.is_only) {
            return ask_incident(desk.registry, incident, told);
        }
        ++locks;
        const auto refused = [](const std::exception& error) {  // the answers for other locks stay
            return fmt::format("of this lock nothing is written or compared: {}\n", error.what());
        };
        try {
            if (asked.save && locks > 1) {
                incident.save = &claim.emplace(path_for_further(*asked.save, locks), rule);
            }
            return ask_incident(desk.registry, incident, told);
        } catch (const BadInput& error) {
            return refused(error);
        } catch (const OutputError& error) {
            return refused(error);
        }
    };
    explained.exit_code = logs::run_command(question, out, [&](const logs::ToldAnswer& told) {
        std::string further = ask(told);
        if (wants_reports) {
            explained.reports.push_back(report_of(told, asked.model, further));
        }
        return further;
    });
    return explained;
}

}  // namespace lockkeeper
