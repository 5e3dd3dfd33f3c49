// SPDX-License-Identifier: Apache-2.0
#include "work/trace_file.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <xxhash.h>

#include "model/json.hpp"
#include "scenarios/find_files.hpp"
#include "scenarios/json_layout.hpp"
#include "scenarios/recorded_trace.hpp"
#include "validate/histories/history_of_run.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

std::string recorded_property(const Finding& finding) {
    return finding.property != nullptr ? std::string(finding.property->name) : "deadlock";
}

// Embeds the scenario without the search's settings, which do not matter to a replay.
Json embedded(Scenario scenario, const Finding& finding) {
    scenario.method = Method::kExplore;
    scenario.reach.clear();
    scenario.limits = {};
    scenario.expect = {};
    if (finding.is_violation) {
        scenario.expect.verdict = Violated{};
        scenario.expect.properties = {recorded_property(finding)};
    }
    scenario.check = {recorded_property(finding)};
    return Json::parse(to_json_text(scenario));
}

}  // namespace

std::string marked_history(const RecordedHistory& history) {
    const std::string text = write_history(history);
    return text.empty() ? text : std::string(kHistoryMark) + text.substr(1);
}

std::string marked_history(const WorldConfig& world, const Trace& trace) {
    std::vector<Event> events;
    for (const TraceStep& step : trace.steps) {
        events.push_back(step.event);
    }
    return marked_history(history_of_run(world, events));
}

// Keeps only what decides how the actions of a schedule play out.
std::string identity_of(Scenario scenario) {
    const Scenario none;
    scenario.about.clear();
    scenario.check = {"all"};
    scenario.reach.clear();
    scenario.method = Method::kExplore;
    scenario.symmetry = none.symmetry;
    scenario.reduction = none.reduction;
    scenario.stop_at_first = none.stop_at_first;
    scenario.strategy.clear();
    scenario.seed = none.seed;
    scenario.limits = none.limits;
    scenario.expect = none.expect;
    return to_json_text(scenario);
}

std::string trace_document(const Scenario& scenario, const Finding& finding) {
    Json json;
    json["$schema"] = "trace.schema.json";
    json["version"] = kTraceVersion;
    json["kind"] = "trace";
    if (finding.is_violation) {
        json["property"] = recorded_property(finding);
    }
    if (finding.property != nullptr) {
        json["about"] = finding.property->definition;
    }
    if (!finding.command.empty()) {
        json["command"] = finding.command;
    }
    if (!finding.outside.empty()) {
        json["validate"] = finding.outside;
    }
    json["seed"] = finding.schedule.seed;
    json["schedule"] = to_line(finding.schedule);
    if (finding.cycle_start != kNoStep) {
        json["cycle_from"] = finding.cycle_start + 1;
    }
    Json::array_t causes;
    Json::array_t steps;
    for (std::size_t i = 0; i < finding.trace.steps.size(); ++i) {
        const TraceStep& step = finding.trace.steps[i];
        if (step.is_cause) {
            causes.push_back(i + 1);
        }
        steps.push_back({{"action", to_text(step.action)},
                         {"text", step.text},
                         {"result", step.result},
                         {"state", step.state}});
    }
    json["causes"] = std::move(causes);
    json["steps"] = std::move(steps);
    json["scenario"] = embedded(scenario, finding);
    return laid_out(json);
}

std::string signature_of(const Scenario& scenario, const Finding& finding) {
    Schedule actions = finding.schedule;
    actions.seed = 0;
    const std::string whole = identity_of(scenario) + to_unfolded_line(actions);
    const std::uint64_t hash = XXH3_64bits(whole.data(), whole.size());
    return fmt::format("{}{}-{:08x}", finding.is_violation ? "" : "no-", recorded_property(finding),
                       hash >> 32U);
}

std::vector<Schedule> load_corpus(const std::string& directory, const Scenario& scenario,
                                  const std::function<void(const std::string&)>& complain) {
    std::vector<Schedule> schedules;
    if (directory.empty()) {
        return schedules;
    }
    const std::string identity = identity_of(scenario);
    for (const InputFile& file : find_files({directory}, FileKind::kTraces)) {
        if (!file.error.empty()) {
            continue;  // nothing has been found here yet
        }
        auto loaded = load_replayable(file.path);
        if (const auto* error = std::get_if<InputError>(&loaded)) {
            complain(error->text());
        } else if (auto* trace = std::get_if<RecordedTrace>(&loaded);
                   trace != nullptr && identity_of(trace->scenario) == identity) {
            schedules.push_back(std::move(trace->schedule));
        }
    }
    return schedules;
}

std::string write_trace(const std::string& directory, const Scenario& scenario,
                        const Finding& finding, const OutputRule& rule) {
    std::string path =
        (std::filesystem::path(directory) / (signature_of(scenario, finding) + ".trace.json"))
            .string();
    OutputClaim(path, rule).write(trace_document(scenario, finding));
    return path;
}

}  // namespace lockkeeper
