#include "app/findings.hpp"

#include <algorithm>

#include "app/corpus.hpp"
#include "app/exit_code.hpp"
#include "model/check.hpp"
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

void write_file(const Session& session, const Job& job, Finding& finding, RunReport& report) {
    const auto written = write_trace(*session.options.out_directory, job.scenario, finding);
    if (const auto* error = std::get_if<InputError>(&written)) {
        session.complain(error->text());
        report.exit_code = kExitInput;
        return;
    }
    finding.trace_file = std::get<std::string>(written);
    if (std::find(report.files_written.begin(), report.files_written.end(), finding.trace_file) ==
        report.files_written.end()) {
        report.files_written.push_back(finding.trace_file);
    }
}

}  // namespace

void add_finding(const Session& session, const Job& job, const Explaining& explaining,
                 const FoundViolation& violation, const std::string& found_by, RunReport& report) {
    Finding finding;
    finding.property = violation.property;
    finding.schedule = violation.schedule;
    finding.cycle_start = violation.cycle_start;
    finding.found_by = found_by;
    std::vector<std::size_t> causes;
    // A cycle is as short as the search made it: left-out steps would have to close it again.
    if (explaining.shrink && finding.property != nullptr && finding.cycle_start == kNoStep) {
        ShrinkResult shrunk = job.runner->shrink(finding.schedule, *finding.property);
        finding.schedule = std::move(shrunk.schedule);
        causes = std::move(shrunk.causes);
    }
    finding.schedule.seed = report.seed;
    ReplayOptions options;
    options.cycle_start = finding.cycle_start;
    if (finding.property != nullptr) {
        options.check = {finding.property};
    }
    finding.trace = job.runner->replay(finding.schedule, options);
    check_replayed(finding);
    for (const std::size_t cause : causes) {
        LOCKKEEPER_CHECK(cause < finding.trace.steps.size());
        finding.trace.steps[cause].is_cause = true;
    }
    if (explaining.write && session.options.out_directory) {
        write_file(session, job, finding, report);
    }
    finding.replay_command = replay_command(job, finding, !session.options.check.empty());
    report.findings.push_back(std::move(finding));
}

Finding finding_in(const Job& job, const Trace& trace, const Property* property,
                   std::uint64_t seed) {
    Finding finding;
    finding.property = property;
    finding.trace = trace;
    finding.cycle_start = property->name == "livelock" ? trace.cycle_start : kNoStep;
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
