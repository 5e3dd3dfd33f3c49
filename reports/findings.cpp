#include "reports/findings.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "reports/words.hpp"

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

}  // namespace

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
