#include "app/findings.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "reports/trace_file.hpp"
#include "reports/words.hpp"
#include "scenarios/registry/shrink_scenario.hpp"

namespace lockkeeper {
namespace {

// Sometimes all that is smaller: of shorter scripts a scope says nothing else.
std::size_t operations_in(const WorldConfig& world) {
    std::size_t count = 0;
    for (const CallerConfig& caller : world.callers) {
        count += caller.script.size();
    }
    return count;
}

// What a random run stumbled on is seldom the smallest scope that shows it; an exploration is told
// its scope by somebody who wants to know about that one.
void add_smaller(const Session& session, const Job& job, bool writes, const ShrinkLimits& limits,
                 Finding& finding, RunReport& report) {
    const auto smaller = shrink_scenario(session.registry, job.scenario, *finding.property,
                                         finding.schedule.actions.size(), limits);
    if (!smaller) {
        return;
    }
    Finding shown =
        explain_violation(*smaller->runner, smaller->violation, true, limits, report.seed);
    SmallerFinding& answer = finding.smaller.emplace();
    answer.scope = scope_of(*job.understood.system, smaller->scenario, smaller->runner->world()) +
                   ", " + counted(operations_in(smaller->scenario.world), "operation");
    answer.steps = shown.schedule.actions.size();
    if (writes) {
        write_finding(session, smaller->scenario, shown, report);
    }
    if (!shown.trace_file.empty()) {
        answer.trace_file = shown.trace_file;
        answer.replay_command = replay_command(job, shown, false);
    }
}

}  // namespace

void write_finding(const Session& session, const Scenario& scenario, Finding& finding,
                   RunReport& report) {
    const bool is_written = write_or_complain(session, [&] {
        finding.trace_file = write_trace(*session.options.out_directory, scenario, finding,
                                         output_rule(session, kTraceMark));
    });
    report.has_failed_output |= !is_written;
    if (is_written && std::find(report.files_written.begin(), report.files_written.end(),
                                finding.trace_file) == report.files_written.end()) {
        report.files_written.push_back(finding.trace_file);
    }
}

void add_finding(const Session& session, const Job& job, const Explaining& explaining,
                 const FoundViolation& violation, const std::string& found_by, RunReport& report) {
    // A cycle is as short as the search made it: left-out steps would have to close it again.
    const bool shrinks =
        explaining.shrink && violation.property != nullptr && violation.cycle_start == kNoStep;
    const bool writes = explaining.write && session.options.out_directory.has_value();
    Finding finding =
        explain_violation(*job.runner, violation, shrinks, explaining.limits, report.seed);
    finding.found_by = found_by;
    if (writes) {
        write_finding(session, job.scenario, finding, report);
    }
    finding.replay_command = replay_command(job, finding, !session.options.check.empty());
    if (shrinks && !found_by.empty()) {
        // One complaint about a directory that cannot be written to is enough.
        add_smaller(session, job, writes && !finding.trace_file.empty(), explaining.limits, finding,
                    report);
    }
    report.findings.push_back(std::move(finding));
}

}  // namespace lockkeeper
