// SPDX-License-Identifier: Apache-2.0
#include "work/findings.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "scenarios/registry/shrink_scenario.hpp"
#include "work/make_report.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

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

// Scopes do not count operations, so this number shows that scripts are shorter.
std::size_t operations_in(const WorldConfig& world) {
    std::size_t count = 0;
    for (const CallerConfig& caller : world.callers) {
        count += caller.script.size();
    }
    return count;
}

// Only for fuzzing: a random run seldom finds a violation in the smallest scope that shows it. The
// user of an exploration chose its scope and wants to know about that one.
std::optional<SmallerFinding> smaller_finding(
    const Registry& registry, const Job& job, const Finding& finding, std::uint64_t seed,
    const ShrinkLimits& limits, const std::function<void(const Scenario&, Finding&)>& write) {
    const auto smaller = shrink_scenario(registry, job.scenario, *finding.property,
                                         finding.schedule.actions.size(), limits);
    if (!smaller) {
        return std::nullopt;
    }
    Finding shown = explain_violation(*smaller->runner, smaller->violation, true, limits, seed);
    SmallerFinding answer;
    answer.scope = scope_of(*job.system, smaller->scenario, smaller->runner->world()) + ", " +
                   counted(operations_in(smaller->scenario.world), "operation");
    answer.steps = shown.schedule.actions.size();
    if (write) {
        write(smaller->scenario, shown);
    }
    if (!shown.trace_file.empty()) {
        answer.trace_file = shown.trace_file;
        answer.replay_command = replay_command(job, shown, false);
    }
    return answer;
}

}  // namespace

Finding explain_violation(const Runner& runner, const FoundViolation& violation, bool shrinks,
                          const ShrinkLimits& limits, std::uint64_t seed,
                          const std::vector<const Property*>& watch) {
    Finding finding;
    finding.property = violation.property;
    finding.schedule = violation.schedule;
    finding.cycle_start = violation.cycle_start;
    finding.cause = violation.cause;
    finding.causes_cut = violation.causes_cut;
    std::vector<std::size_t> causes;
    if (shrinks) {
        // A shorter schedule might have another cause.
        ShrinkLimits those = limits;
        those.shortens = limits.shortens && violation.cause.empty();
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
    options.watch = watch;
    std::erase(options.watch, finding.property);
    finding.trace = runner.replay(finding.schedule, options);
    check_replayed(finding);
    for (const std::size_t cause : causes) {
        LOCKKEEPER_CHECK(cause < finding.trace.steps.size());
        finding.trace.steps[cause].is_cause = true;
    }
    return finding;
}

Finding explained(const Registry& registry, const Job& job, const Explaining& explaining,
                  const FoundViolation& violation, const std::string& found_by,
                  std::uint64_t seed) {
    // A cycle is as short as the search made it: left-out steps would have to close it again.
    const bool is_plain = violation.property != nullptr && violation.cycle_start == kNoStep;
    const bool shrinks = explaining.shrinks && is_plain;
    const bool asks_causes = shrinks || (explaining.shows_runs && is_plain);
    ShrinkLimits limits = explaining.limits;
    limits.shortens = explaining.shrinks;
    Finding finding =
        explain_violation(*job.runner, violation, asks_causes, limits, seed,
                          explaining.shows_runs ? job.check : std::vector<const Property*>{});
    finding.found_by = found_by;
    if (explaining.write) {
        explaining.write(job.scenario, finding);
    }
    finding.replay_command = replay_command(job, finding, job.is_check_of_flag);
    if (explaining.shows_runs) {
        add_nearest(job, explaining.limits, finding);
    }
    if (shrinks && !found_by.empty()) {
        // One complaint about a directory that cannot be written to is enough.
        const bool writes = explaining.write && !finding.trace_file.empty();
        finding.smaller = smaller_finding(registry, job, finding, seed, explaining.limits,
                                          writes ? explaining.write : nullptr);
    }
    return finding;
}

// Not for a cycle: it has no last step that could be replaced by another.
void add_nearest(const Job& job, const ShrinkLimits& limits, Finding& finding) {
    if (finding.property == nullptr || finding.cycle_start != kNoStep) {
        return;
    }
    const auto passing = job.runner->nearest_passing(finding.schedule, *finding.property, limits);
    if (!passing) {
        return;
    }
    NearestPass& nearest = finding.nearest.emplace();
    nearest.schedule = passing->schedule;
    nearest.differs_at = passing->differs_at;
    nearest.ends = passing->ends;
    ReplayOptions options;
    options.check = job.check;
    nearest.trace = job.runner->replay(nearest.schedule, options);
    Finding shown;
    shown.schedule = nearest.schedule;
    nearest.replay_command = replay_command(job, shown, false);
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

}  // namespace lockkeeper
