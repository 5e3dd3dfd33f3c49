#include "app/findings.hpp"

#include <algorithm>

#include "app/exit_code.hpp"
#include "app/outputs.hpp"
#include "app/shrink_scenario.hpp"
#include "model/check.hpp"
#include "reports/trace_file.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

std::string replay_command(const Job& job, const Finding& finding, bool says_check) {
    if (!finding.trace_file.empty()) {
        return job.program + " replay " + shell_quoted(finding.trace_file);
    }
    std::string command = job.program + " replay " + shell_quoted(job.file) + " --schedule " +
                          shell_quoted(to_line(finding.schedule)) + job.set_flags;
    if (finding.cycle_start != kNoStep) {
        command += " --cycle-from " + std::to_string(finding.cycle_start + 1);
    }
    if (says_check && finding.property != nullptr) {
        command += " --check " + std::string(finding.property->name);
    }
    return command;
}

void check_replayed(const Finding& finding) {
    const auto& violated = finding.trace.violated;
    const bool replayed =
        finding.property == nullptr
            ? finding.trace.deadlocked
            : std::find(violated.begin(), violated.end(), finding.property) != violated.end();
    if (!replayed) {
        throw InternalError("the violation of " +
                            std::string(finding.property ? finding.property->name : "progress") +
                            " does not replay: " + to_line(finding.schedule));
    }
}

// Shrunk where `shrinks`, and replayed.
Finding explain_violation(const Runner& runner, const FoundViolation& violation, bool shrinks,
                          const ShrinkLimits& limits, std::uint64_t seed) {
    Finding finding;
    finding.property = violation.property;
    finding.schedule = violation.schedule;
    finding.cycle_start = violation.cycle_start;
    finding.cause = violation.cause;
    finding.causes_cut = violation.causes_cut;
    std::vector<std::size_t> causes;
    if (shrinks) {
        // A shorter one might have another cause.
        ShrinkLimits those = limits;
        those.shortens = violation.cause.empty();
        ShrinkResult shrunk = runner.shrink_within(finding.schedule, *finding.property, those);
        finding.is_cut = shrunk.is_cut;
        finding.schedule = std::move(shrunk.schedule);
        causes = std::move(shrunk.causes);
    }
    finding.schedule.seed = seed;
    ReplayOptions options;
    options.cycle_start = finding.cycle_start;
    if (finding.property != nullptr) {
        options.check = {finding.property};
    }
    finding.trace = runner.replay(finding.schedule, options);
    check_replayed(finding);
    for (const std::size_t cause : causes) {
        LOCKKEEPER_CHECK(cause < finding.trace.steps.size());
        finding.trace.steps[cause].is_cause = true;
    }
    return finding;
}

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

Finding finding_in(const Job& job, const Trace& trace, const Property* property,
                   std::uint64_t seed) {
    Finding finding;
    finding.property = property;
    finding.trace = trace;
    finding.cycle_start = property->is(PropertyNumber::kLivelock) ? trace.cycle_start : kNoStep;
    const std::uint64_t step = violating_step(trace, property);
    finding.trace.steps.resize(step);
    for (TraceStep& kept : finding.trace.steps) {
        std::erase_if(kept.violates, [&](const Property* other) { return other != property; });
    }
    finding.schedule = finding.trace.schedule(seed);
    finding.replay_command = replay_command(job, finding, false);
    return finding;
}

}  // namespace lockkeeper
