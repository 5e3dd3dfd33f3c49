// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/job.hpp"
#include "work/expectation.hpp"
#include "work/jobs.hpp"
#include "work/make_report.hpp"
#include "work/results/run_report.hpp"
#include "work/results/text_output.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

// Runs the job as the scenario's author wants. It computes only what the expectation asks for.
void execute(const Desk& desk, const Job& job, RunReport& report) {
    const Expectation& expect = job.scenario.expect;
    const bool compares = desk.wants.comparisons;
    switch (job.scenario.method) {
        case Method::kExplore:
            if (job.scenario.find) {
                execute_find(desk, job, *job.scenario.find, report);
                return;
            }
            execute_explore(desk, job,
                            {.stop_at_first = job.scenario.stop_at_first,
                             .shrinks = false,
                             .writes = false,
                             .counting = expect.interleavings ? Counting::kOn : Counting::kOff},
                            report);
            return;
        case Method::kFuzz:
            execute_fuzz(
                desk, job,
                {.stop_at_first = job.scenario.stop_at_first || expect.properties.size() < 2,
                 .shrinks = expect.steps.has_value(),
                 .writes = false},
                report);
            return;
        case Method::kOrder:
        case Method::kReplay:
            // One line a file; the whole trace is what replay shows, and a page.
            run_own(job, compares, compares, desk.deadline, report);
            return;
    }
}

// Whoever has to look into a failure wants its trace, and only then is it worth the time.
void explain_failure(const Desk& desk, const Job& job, RunReport& report) {
    const bool shows_runs = desk.wants.runs;
    const bool has_run = report.replayed ? shows_runs : !report.findings.empty();
    if (!has_run || (!desk.asked.out_directory && !shows_runs)) {
        return;
    }
    RunReport explained = begin_report(desk, job, report.strategy);
    if (report.replayed) {
        run_own(job, true, false, desk.deadline, explained);
        report.replayed = std::move(explained.replayed);
    } else if (report.explored) {
        execute_explore(desk, job,
                        {.stop_at_first = job.scenario.stop_at_first, .counting = Counting::kOff},
                        explained);
    } else {
        execute_fuzz(desk, job, {}, explained);
    }
    // A search for a boundary has findings of another value.
    if (!explained.findings.empty()) {
        report.findings = std::move(explained.findings);
    }
    report.files_written = std::move(explained.files_written);
}

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

// `repeated`: the trace, where it is replayed as it was recorded.
ReplayOptions options_of(const Asked& flags, const Job& job, const RecordedTrace* repeated) {
    ReplayOptions options;
    options.check = job.check;
    options.on_divergence = flags.on_divergence;
    if (repeated != nullptr) {
        options.labels = repeated->labels;
        options.cycle_start = repeated->cycle_start;
    }
    if (flags.cycle_from) {
        options.cycle_start = static_cast<std::size_t>(*flags.cycle_from - 1);
    }
    return options;
}

}  // namespace

RunReport explore_scenario(const Desk& desk, const std::string& file) {
    // Now, and not after hours of searching.
    std::optional<OutputClaim> checkpoint;
    if (desk.asked.checkpoint) {
        OutputRule rule = output_rule(desk, kCheckpointMark, {{file, ""}});
        rule.excludes_others = true;
        checkpoint.emplace(*desk.asked.checkpoint, std::move(rule));
    }
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, strategy_of(desk.asked.frontier));
    if (const auto find = desk.asked.find ? desk.asked.find : job.scenario.find) {
        if (desk.asked.certificate) {
            throw UsageError("--certificate: excludes a search for a boundary");
        }
        desk.head(report);
        execute_find(desk, job, *find, report);
    } else {
        execute_explore(desk, job,
                        {.stop_at_first = !desk.asked.keep_going,
                         .shows_head = true,
                         .counting = desk.asked.counting.value_or(Counting::kAuto),
                         .tells_causes = desk.asked.keep_going},
                        report);
    }
    return report;
}

RunReport fuzz_scenario(const Desk& desk, const std::string& file) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, fuzz_options_of(job).strategy);
    desk.head(report);
    execute_fuzz(desk, job, {.stop_at_first = !desk.asked.keep_going, .uses_corpus = true}, report);
    return report;
}

RunReport test_scenario(const Desk& desk, const std::string& file) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(desk, job, strategy_of(job));
    if (desk.asked.verbose) {
        desk.head(report);
    }
    execute(desk, job, report);
    judge_expectation(
        job.scenario, job.runner->world(), [&] { return check_rates(desk, job); }, report);
    if (!is<Passed>(*report.met) && !report.is_interrupted) {
        explain_failure(desk, job, report);
    }
    return report;
}

RunReport replay_file(const Desk& desk, const std::string& file) {
    const Asked& flags = desk.asked;
    std::optional<TextOutput> history;
    if (flags.history_out) {
        history.emplace(desk.standard, *flags.history_out,
                        output_rule(desk, kHistoryMark, {{file, ""}}));
    }
    const auto loaded = value_or_throw(load_replayable(file));
    refuse_outside_lock(loaded, file, given_again(flags, {"--schedule", "--report"}));
    const auto* trace = std::get_if<RecordedTrace>(&loaded);
    std::optional<Schedule> given;  // instead of the file's
    if (flags.schedule) {
        given = schedule_of_flag("--schedule", *flags.schedule);
    }
    // Null: the scenario's own order or schedule.
    const Schedule* schedule = given ? &*given : trace != nullptr ? &trace->schedule : nullptr;
    const Job job = prepare(desk, trace ? trace->scenario : std::get<Scenario>(loaded));
    if (flags.cycle_from) {
        refuse_cycle_outside(*flags.cycle_from, schedule != nullptr ? schedule : own_schedule(job));
    }
    const bool is_order = !given && job.scenario.method == Method::kOrder;
    RunReport report = begin_report(job, flags.command, is_order ? "order" : "replay");
    report.seed = schedule != nullptr ? schedule->seed : report.seed;
    desk.head(report);
    const RecordedTrace* repeated = given ? nullptr : trace;
    ReplayOptions options = options_of(flags, job, repeated);
    options.stop = [&] { return interrupt_requested() || desk.deadline.is_past(); };
    run_job_once(job, schedule, options, report, desk.wants.comparisons);
    // A schedule of somebody else's is one run of many, of which another may reach the goal. The
    // scenario's own is the one that it says must reach it.
    if (is<Unreached>(report.verdict) && schedule != nullptr && !is_order) {
        report.verdict = Passed{"this run does not reach " + detail_of(report.verdict)};
    }
    if (repeated != nullptr) {
        compare_with_record(*repeated, job, report);
    }
    if (history && report.replayed) {
        write_beside(desk, report, [&] {
            history->write(marked_history(job.runner->world(), *report.replayed));
            report.files_written.push_back(history->path());
        });
    }
    return report;
}

}  // namespace lockkeeper
