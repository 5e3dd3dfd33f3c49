// SPDX-License-Identifier: Apache-2.0
#include "work/boundary.hpp"

#include <map>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

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

// The report of the answer with its neighbour's findings; else of the probe that says why not.
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

Probed probed(const RunReport& probe) {
    return is<Inconclusive>(probe.verdict) || probe.is_interrupted ? Probed::kUndecided
           : is<Passed>(probe.verdict)                             ? Probed::kPassed
                                                                   : Probed::kViolated;
}

[[noreturn]] void refuse_all_values(const Job& job, const BoundarySearch& find, bool by_flag,
                                    const std::string& why) {
    if (!by_flag) {
        refuse(job.scenario, "/find", "the scenario takes no value of the range: " + why);
    }
    throw UsageError(fmt::format("--find-{} {}={}..{}: the scenario takes no value of it: {}",
                                 find.smallest ? "smallest" : "largest", find.parameter, find.from,
                                 find.to, why));
}

}  // namespace

void report_boundary(const Job& job, const BoundarySearch& find, bool by_flag,
                     const std::function<Job(std::int32_t)>& prepare,
                     const std::function<RunReport(const Job&)>& explore, RunReport& report) {
    Probes probes;
    const auto why_refused = [&](std::int32_t value) -> std::string {
        try {
            static_cast<void>(prepare(value));
            return "";
        } catch (const BadInput& error) {
            return error.what();
        } catch (const UsageError& error) {
            return error.what();
        }
    };
    const Boundary found = find_boundary(find, why_refused, [&](std::int32_t value) {
        return probed(probes[value] = explore(prepare(value)));
    });
    if (probes.empty()) {
        refuse_all_values(job, find, by_flag, found.refused.front().why);
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
