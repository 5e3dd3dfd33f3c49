// `validate --program ... --level stepped`: the search, what it found, and the report.
#include <algorithm>

#include <fmt/format.h>

#include "app/execute.hpp"
#include "app/findings.hpp"
#include "app/validate_program.hpp"
#include "app/verbs.hpp"
#include "model/check.hpp"
#include "reports/progress.hpp"
#include "reports/run_text.hpp"
#include "reports/trace_text.hpp"
#include "reports/words.hpp"
#include "validate/programs/stepped_search.hpp"

namespace lockkeeper {
namespace {

SteppedOptions options_of(const Session& session, const ProgramJob& job) {
    const Options& flags = session.options;
    const ScenarioLimits& limits = job.limits;
    SteppedOptions options;
    const std::string method = flags.validate.search.value_or(kSearchDefault);
    options.method = method == "explore"  ? SteppedMethod::kExplore
                     : method == "random" ? SteppedMethod::kRandom
                                          : SteppedMethod::kBoth;
    options.seed = job.seed;
    options.schedules_max =
        flags.schedules_max.value_or(limits.schedules_max.value_or(options.schedules_max));
    options.steps_max = flags.steps_max.value_or(limits.steps_max.value_or(options.steps_max));
    options.seconds_max =
        flags.seconds_max.value_or(limits.seconds_max.value_or(options.seconds_max));
    options.preemptions_max = flags.validate.preemptions_max;
    return options;
}

Trace trace_of(const SteppedTrace& from) {
    Trace trace;
    trace.initial_state = from.initial_state;
    trace.steps = from.steps;
    trace.violated = from.violated;
    return trace;
}

bool ends_as(const SteppedTrace& trace, const SteppedFinding& finding) {
    return finding.property != nullptr
               ? !trace.violated.empty() && trace.violated.front() == finding.property
               : trace.misbehaviour == finding.misbehaviour;
}

Violated misbehaved(Misbehaviour kind, const std::string& detail) {
    return {"misbehaved: " + std::string(name_of(kind)) + ": " + detail};
}

// What a finding and its replays answer differently; empty: it happens every time.
std::string difference_of(SteppedSearch& search, const SteppedFinding& found,
                          const SteppedFinding& shrunk, const SteppedTrace& trace) {
    if (trace.stopped) {
        return "";
    }
    if (ends_as(trace, shrunk)) {
        return search.repeated_difference(shrunk, trace);
    }
    const SteppedTrace whole = search.show(found);
    std::vector<std::string> again;
    for (const TraceStep& step : whole.steps) {
        again.push_back(shown_step(step.text, step.result));
    }
    const std::string difference = step_difference(found.shown, again);
    return !difference.empty()
               ? difference
               : "what was found does not happen every time: " +
                     (found.property != nullptr ? std::string(found.property->name)
                                                : std::string(name_of(*found.misbehaviour))) +
                     ": " + to_line({1, found.actions});
}

// Shrinks it, runs it several times more and puts it into the report.
void add_finding(const Session& session, ProgramJob& job, SteppedSearch& search,
                 const SteppedFinding& found) {
    RunReport& report = job.report;
    const SteppedFinding shrunk = search.shrink(found);
    const SteppedTrace trace = search.show(shrunk);
    const std::string difference = difference_of(search, found, shrunk, trace);
    Finding finding;
    finding.property = found.property;
    finding.schedule = {job.seed, shrunk.actions};
    finding.trace = trace_of(trace);
    finding.found_by = found.found_by;
    finding.replay_command = replay_command(session, job, to_line(finding.schedule));
    if (trace.stopped && session.prints_text()) {
        session.out << "stopped before the run could be shown to its end\n";
    }
    if (!difference.empty()) {
        conclude(report, NotDeterministic{difference});
    } else if (found.property != nullptr) {
        conclude(report, Violated{});
        if (session.options.out_directory) {
            // A trace file has the steps that can be replayed; the look at the end comes by itself.
            Finding written = finding;
            written.trace.steps.resize(written.schedule.actions.size());
            write_finding(session, job.scenario, written, report);
            finding.trace_file = written.trace_file;
        }
        report.findings.push_back(std::move(finding));
    } else {
        conclude(report, misbehaved(*found.misbehaviour, found.detail));
        report.replayed = std::move(finding.trace);
        if (session.prints_text()) {
            session.out << "the run at whose end it happens:\n";
        }
    }
}

std::string bound_text(const SteppedResult& result) {
    if (!result.preemptions_done || *result.preemptions_done == UINT32_MAX) {
        return "";
    }
    return fmt::format(", complete up to {}", counted(*result.preemptions_done, "interruption"));
}

std::string scope_line(const ProgramJob& job, const SteppedResult& result) {
    const auto width = static_cast<std::uint64_t>(job.world.tick_width);
    const std::string tail = fmt::format(
        "{}, {}, {} of the clock{}", job.report.short_scope, counted(result.schedules, "schedule"),
        counted(static_cast<std::uint64_t>(job.world.ticks_max), "tick"),
        width > 1 ? " of " + with_commas(width) : "");
    if (result.complete) {
        return "complete: " + tail;
    }
    if (result.finding) {
        return "stopped at the first violation: " + tail;
    }
    return "bounded" + (result.limit.empty() ? "" : " (" + result.limit + ")") + ": " + tail +
           bound_text(result);
}

std::string summary_text(const SteppedResult& result) {
    std::string out = fmt::format("{:<24}{}\n", "schedules", with_commas(result.schedules));
    out += fmt::format("{:<24}{}\n", "steps", with_commas(result.steps));
    if (result.states > 0) {
        out += fmt::format("{:<24}{}\n", "distinct states", with_commas(result.states));
    }
    const AnswerCounts& answers = result.tally.answers;
    out += fmt::format("{:<24}{}\n", "answers", answers.to_text());
    if (answers.cut_runs > 0) {
        out += fmt::format("{:<24}{}\n", "cut at --max-steps", with_commas(answers.cut_runs));
    }
    if (result.tally.runs_out_of_time > 0) {
        out += fmt::format("{:<24}{}\n", "cut at the clock's end",
                           with_commas(result.tally.runs_out_of_time));
    }
    return out + fmt::format("{:<24}{}, {} schedules\n", "time", seconds_text(result.seconds),
                             rate_text(result.schedules, result.seconds));
}

// Verdict, scope, seed and how to repeat it: the last lines.
void print_foot(const Session& session, const ProgramJob& job, const std::string& scope,
                const std::string& replay) {
    if (session.prints_text()) {
        session.out << "verdict: " << verdict_text(job.report) << "\nscope: " << scope
                    << "\nseed: " << job.seed << "\n";
        for (const std::string& file : job.report.files_written) {
            session.out << "written: " << printable(file) << "\n";
        }
        session.out << (replay.empty() ? "" : "replay: " + replay + "\n") << std::flush;
    }
}

void judge_search(const ProgramJob& job, RunReport& report, const SteppedResult& result) {
    report.complete = result.complete;
    report.seconds = result.seconds;
    const std::string missing = result.tally.what_is_missing(job.world);
    if (!result.diverged.empty()) {
        conclude(report, NotDeterministic{result.diverged});
    } else if (result.is_cut) {
        conclude(report, Inconclusive{result.limit});
    } else if (!missing.empty()) {
        conclude(report, Inconclusive{"", missing});
    } else {
        conclude(report, Passed{});
    }
}

// Of what happens from what a trace file says.
std::string difference_from(const std::vector<std::string>& labels, const SteppedTrace& trace) {
    for (std::size_t i = 0; i < std::min(labels.size(), trace.steps.size()); ++i) {
        const std::string label = trace.steps[i].text + " " + trace.steps[i].result;
        if (!labels[i].empty() && labels[i] != label) {
            return fmt::format("step {}: recorded \"{}\", now \"{}\"", i + 1, labels[i], label);
        }
    }
    return "";
}

// Of the same run, several times more.
std::string replayed_difference(SteppedSearch& search, const Schedule& schedule,
                                const SteppedTrace& trace) {
    SteppedFinding run;
    run.misbehaviour = trace.misbehaviour;
    run.actions = schedule.actions;
    return search.repeated_difference(run, trace);
}

void replay_one(const Session& session, ProgramJob& job, SteppedSearch& search,
                const Program& program) {
    const Schedule& schedule = *job.replayed;
    RunReport& report = job.report;
    const SteppedTrace trace = search.replay(schedule.actions);
    report.replayed = trace_of(trace);
    if (trace.stopped) {
        conclude(report, Inconclusive{interrupt_requested() ? "interrupted" : "time"});
    } else if (const std::string answers = replayed_difference(search, schedule, trace);
               !answers.empty()) {
        conclude(report, NotDeterministic{answers});
    } else if (trace.misbehaviour) {
        conclude(report, misbehaved(*trace.misbehaviour, trace.detail));
    } else if (const std::string difference = difference_from(job.labels, trace);
               !difference.empty()) {
        conclude(report, Diverged{difference});
    } else if (trace.impossible) {
        conclude(report,
                 Diverged{"step " + std::to_string(*trace.impossible + 1) + " (" +
                          to_text(schedule.actions[*trace.impossible]) + ") is not possible"});
    } else if (!trace.violated.empty()) {
        conclude(report, Violated{});
        Finding finding;
        finding.property = trace.violated.front();
        finding.schedule = {schedule.seed, schedule.actions};
        finding.trace = *report.replayed;
        finding.replay_command = replay_command(session, job, to_line(finding.schedule));
        report.findings.push_back(finding);
    } else {
        conclude(report, Passed{});
    }
    if (session.prints_text()) {
        session.out << body_text(report);
        session.out << (trace.misbehaviour ? last_words_text(program.last_words()) : "");
    }
    print_foot(session, job,
               "one run: " + counted(trace.steps.size(), "step") + ", " + report.short_scope, "");
}

}  // namespace

void validate_stepped(const Session& session, ProgramJob& job) {
    RunReport& report = job.report;
    SteppedOptions options = options_of(session, job);
    report.strategy =
        job.replayed ? "replay" : session.options.validate.search.value_or(kSearchDefault);
    if (session.prints_text()) {
        session.out << head_text(report) << std::flush;
    }
    ProgressLine line(session.err, session.err_is_terminal, session.options.quiet);
    options.progress = [&](const FuzzProgress& progress) { line.show(progress); };
    Program program(job.program);
    SteppedSearch search(program, job.world, options);
    try {
        if (job.replayed) {
            replay_one(session, job, search, program);
            return;
        }
        const SteppedResult result = search.search();
        line.wipe();
        report.answers = result.tally.answers;
        note_what_happened(job, result.tally.passed_over, result.tally.events);
        judge_search(job, report, result);
        if (result.finding) {
            add_finding(session, job, search, *result.finding);
        }
        const std::string replay =
            report.findings.empty() ? "" : report.findings.front().replay_command;
        if (session.prints_text()) {
            session.out << body_text(report) << summary_text(result) << passed_over_text(report)
                        << (result.finding && result.finding->misbehaviour
                                ? last_words_text(program.last_words())
                                : "");
        }
        report.fuzzed = FuzzResult{};
        report.fuzzed->schedules = result.schedules;
        report.fuzzed->steps = result.steps;
        print_foot(session, job, scope_line(job, result), replay);
    } catch (const Misbehaved& error) {
        line.wipe();
        program.kill();
        throw Misbehaved(error.kind(), error.what(), program.last_words());
    }
}

}  // namespace lockkeeper
