#include <filesystem>

#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "reports/read_results.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/recorded_trace.hpp"

namespace lockkeeper {
namespace {

void refuse_cycle_outside(std::uint64_t step, const Schedule* schedule) {
    if (schedule == nullptr) {
        throw UsageError("--cycle-from: goes with a schedule or a trace file");
    }
    const std::size_t steps = schedule->actions.size();
    if (step > steps) {
        throw UsageError("--cycle-from: step " + std::to_string(step) + " of a schedule that has " +
                         std::to_string(steps));
    }
}

RunReport replay_file(const Session& session, const std::string& file) {
    const Options& flags = session.options;
    std::optional<TextOutput> history;
    if (flags.history_out) {
        history.emplace(session.out, *flags.history_out,
                        output_rule(session, kHistoryMark, {{file, ""}}));
    }
    const auto loaded = value_or_throw(load_replayable(file));
    const auto* trace = std::get_if<RecordedTrace>(&loaded);
    std::optional<Schedule> given;
    if (flags.schedule) {
        given = schedule_of_flag("--schedule", *flags.schedule);
    }
    const Job job = prepare(session, trace ? trace->scenario : std::get<Scenario>(loaded));
    RunReport report = begin_report(
        session, job, !given && job.scenario.method == Method::kOrder ? "order" : "replay");
    ReplayOptions options;
    options.check = job.check;
    options.on_divergence = flags.on_divergence;
    const Schedule* schedule = nullptr;
    if (given) {
        schedule = &*given;
    } else if (trace != nullptr) {
        schedule = &trace->schedule;
        options.labels = trace->labels;
        options.cycle_start = trace->cycle_start;
    }
    if (flags.cycle_from) {
        refuse_cycle_outside(*flags.cycle_from, schedule != nullptr ? schedule : own_schedule(job));
        options.cycle_start = static_cast<std::size_t>(*flags.cycle_from - 1);
    }
    report.seed = schedule != nullptr ? schedule->seed : report.seed;
    session.writer->head(report);
    run_job_once(job, schedule, options, report, session.writes(&ReportFormat::compares_runs));
    // A piece of a run is replayed to look at it: what it does not reach is no failure.
    if (is<Unreached>(report.verdict)) {
        report.verdict = Passed{detail_of(report.verdict)};
    }
    if (trace != nullptr && !given) {
        compare_with_record(*trace, job, report);
    }
    if (history && report.replayed) {
        write_beside(session, report, [&] {
            history->write(marked_history(job.runner->world(), *report.replayed));
            report.files_written.push_back(history->path());
        });
    }
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_replay(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kTraces);
    if (files.size() > 1 && session.options.history_out) {
        throw UsageError("--history: goes with one file, whose history it is");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return replay_file(session, file); });
}

// Results that stand in a file are told as they are; a trace is replayed.
int verb_report(const Session& session) {
    const Options& flags = session.options;
    if (flags.report_files.empty()) {
        throw UsageError("report: -o FILE: where is the report to go?");
    }
    try {
        std::error_code none;
        const bool is_file = std::filesystem::is_regular_file(flags.files.front(), none);
        auto results = is_file && flags.files.size() == 1 ? read_results(flags.files.front())
                                                          : std::optional<Results>();
        if (results) {
            return tell_results(session, *std::move(results));
        }
    } catch (const BadInput& error) {
        session.complain(error.what());
        session.writer->refused(kExitInput, error.what());
        return kExitInput;
    }
    return verb_replay(session);
}

}  // namespace lockkeeper
