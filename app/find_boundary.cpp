#include "app/find_boundary.hpp"

#include <map>

#include <fmt/format.h>

#include "reports/run_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/find_boundary.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

[[noreturn]] void refuse_all(const Session& session, const Job& job, const BoundarySearch& find,
                             const std::string& why) {
    if (!session.options.find) {
        refuse(job.scenario, "/find", "the scenario takes no value of the range: " + why);
    }
    throw UsageError(fmt::format("--find-{} {}={}..{}: the scenario takes no value of it: {}",
                                 find.smallest ? "smallest" : "largest", find.parameter, find.from,
                                 find.to, why));
}

Job job_with(const Session& session, const Job& job, const BoundarySearch& find,
             std::int32_t value) {
    Scenario scenario = job.scenario;
    set_number(session.registry, find.parameter, value, scenario, "find");
    return prepare(session, std::move(scenario));
}

RunReport explored(const Session& session, const Job& job) {
    RunReport report = begin_report(session, job, explore_strategy(session.options));
    SearchChoice choice;
    choice.counting = Counting::kOff;
    execute_explore(session, job, choice, report);
    return report;
}

using Probes = std::map<std::int32_t, RunReport>;

void show_violated(const BoundarySearch& find, std::int32_t value, const Probes& probes,
                   RunReport& report) {
    const RunReport& violated = probes.at(value);
    report.findings = violated.findings;
    for (Finding& finding : report.findings) {
        finding.replay_command += fmt::format(" --set {}={}", find.parameter, value);
    }
    report.files_written = violated.files_written;
}

// That of the answer, with the findings of its neighbour; else of the probe that says why not.
RunReport report_of(const BoundarySearch& find, const Boundary& found, const Probes& probes) {
    if (found.undecided) {
        return probes.at(*found.undecided);
    }
    if (!found.value) {
        RunReport report = find.smallest ? probes.rbegin()->second : probes.begin()->second;
        report.verdict = with_detail(
            report.verdict,
            fmt::format("with no {} from {} to {}", find.parameter, find.from, find.to));
        return report;
    }
    RunReport report = probes.at(*found.value);
    if (found.violated) {
        show_violated(find, *found.violated, probes, report);
    }
    return report;
}

}  // namespace

void execute_find(const Session& session, const Job& job, const BoundarySearch& find,
                  RunReport& report) {
    if (session.options.numbers.contains(find.parameter)) {
        throw UsageError("--set " + find.parameter + " does not go with a search for it");
    }
    const auto why_refused = [&](std::int32_t value) -> std::string {
        try {
            static_cast<void>(job_with(session, job, find, value));
            return "";
        } catch (const BadInput& error) {
            return error.what();
        } catch (const UsageError& error) {
            return error.what();
        }
    };
    Probes probes;
    const Boundary found = find_boundary(find, why_refused, [&](std::int32_t value) {
        const RunReport& probe = probes[value] =
            explored(session, job_with(session, job, find, value));
        return is<Inconclusive>(probe.verdict) || probe.is_interrupted ? Probed::kUndecided
               : is<Passed>(probe.verdict)                             ? Probed::kPassed
                                                                       : Probed::kViolated;
    });
    if (probes.empty()) {
        refuse_all(session, job, find, found.refused.front().why);
    }
    const std::string command = report.command;
    report = report_of(find, found, probes);
    report.command = command;
    FoundBoundary& boundary = report.boundary.emplace();
    boundary = {find.parameter, find.smallest, found.value.value_or(0), found.violated, {},
                found.refused};
    for (const auto& [value, probe] : probes) {
        boundary.probes.emplace_back(value, told_verdict(probe));
    }
}

}  // namespace lockkeeper
