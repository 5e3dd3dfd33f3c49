// SPDX-License-Identifier: Apache-2.0

// The report of `replay`: one run of a scenario or of a trace file, step by step. Errors:
// UsageError for a cycle that is no part of the run; as of run_job_once.
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/job.hpp"
#include "work/jobs.hpp"
#include "work/make_report.hpp"
#include "work/results/run_report.hpp"
#include "work/results/text_output.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

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

// `repeated`: the trace, where it is replayed as it was recorded.
ReplayOptions options_of(const Asked& flags, const Job& job, const RecordedTrace* repeated) {
    ReplayOptions options;
    options.check = job.check;
    options.stop = interrupt_requested;
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
    run_job_once(job, schedule, options_of(flags, job, repeated), report, desk.wants.comparisons);
    // A schedule of somebody else's is one run of many, of which another may reach the goal. The
    // scenario's own is the one that it says must reach it.
    if (is<Unreached>(report.verdict) && schedule != nullptr && !is_order) {
        report.verdict = Passed{detail_of(report.verdict)};
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
