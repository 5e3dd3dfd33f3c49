// SPDX-License-Identifier: Apache-2.0
#include "work/replay_job.hpp"

#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "work/jobs.hpp"
#include "work/make_report.hpp"
#include "work/marked_history.hpp"
#include "work/results/text_output.hpp"
#include "work/searches.hpp"

namespace lockkeeper {
namespace {

// Null: the scenario's own order or schedule.
const Schedule* schedule_of(const ReplayRequest& request) {
    return request.given              ? &*request.given
           : request.trace != nullptr ? &request.trace->schedule
                                      : nullptr;
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

}  // namespace

RunReport begin_replay(const Job& job, const ReplayRequest& request, const std::string& command) {
    const Schedule* schedule = schedule_of(request);
    if (request.cycle_from) {
        refuse_cycle_outside(*request.cycle_from,
                             schedule != nullptr ? schedule : own_schedule(job));
    }
    const bool is_order = !request.given && job.scenario.method == Method::kOrder;
    RunReport report = begin_report(job, command, is_order ? "order" : "replay");
    report.seed = schedule != nullptr ? schedule->seed : report.seed;
    return report;
}

void run_replay(const Job& job, const ReplayRequest& request, RunReport& report) {
    ReplayOptions options;
    options.check = job.check;
    options.stop = interrupt_requested;
    options.on_divergence = request.on_divergence;
    const bool is_of_trace = request.trace != nullptr && !request.given;
    if (is_of_trace) {
        options.labels = request.trace->labels;
        options.cycle_start = request.trace->cycle_start;
    }
    if (request.cycle_from) {
        options.cycle_start = static_cast<std::size_t>(*request.cycle_from - 1);
    }
    run_job_once(job, schedule_of(request), options, report, request.compares);
    // A schedule of somebody else's is one run of many, of which another may reach the goal. The
    // scenario's own is the one that it says must reach it.
    const bool is_own = schedule_of(request) == nullptr ||
                        (!request.given && job.scenario.method == Method::kOrder);
    if (is<Unreached>(report.verdict) && !is_own) {
        report.verdict = Passed{detail_of(report.verdict)};
    }
    if (is_of_trace) {
        compare_with_record(*request.trace, job, report);
    }
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
    ReplayRequest request{trace, std::nullopt, flags.cycle_from, flags.on_divergence,
                          desk.wants.comparisons};
    if (flags.schedule) {
        request.given = schedule_of_flag("--schedule", *flags.schedule);
    }
    const Job job = prepare(desk, trace ? trace->scenario : std::get<Scenario>(loaded));
    RunReport report = begin_replay(job, request, desk.asked.command);
    desk.head(report);
    run_replay(job, request, report);
    if (history && report.replayed) {
        write_beside(desk, report, [&] {
            history->write(marked_history(job.runner->world(), *report.replayed));
            report.files_written.push_back(history->path());
        });
    }
    return report;
}

}  // namespace lockkeeper
