// SPDX-License-Identifier: Apache-2.0
#include "work/measure_verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scheduler/base/deadline.hpp"
#include "scheduler/base/process_memory.hpp"
#include "work/look_for_goals.hpp"
#include "work/results/measure_words.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

// The worst one stays.
void take_worse(Verdict verdict, RunReport& report) {
    const int before = exit_code_of(report.verdict);
    if (worse_exit_code(before, exit_code_of(verdict)) != before) {
        report.verdict = std::move(verdict);
    }
}

void judge_below(const MeasureResult& result, double bound, RunReport& report) {
    if (!has_figures(result) || result.properties.empty()) {
        return;
    }
    const auto [largest, is_below] = check_below(result, bound);
    const std::string text = fmt::format("{}: {} per run", title_of(*largest->property),
                                         number_text(largest->per_run.value));
    if (!is_below) {
        take_worse(Inconclusive{"", fmt::format("{}: not decided whether below {}", text,
                                                number_text(bound))},
                   report);
    } else if (!*is_below) {
        take_worse(Violated{fmt::format("{} is not below {}", text, number_text(bound))}, report);
    }
}

void judge_bounds(const MeasureResult& result, const RateBounds& max_rate, RunReport& report) {
    if (!has_figures(result)) {
        return;
    }
    report.rates = check_bounds(result, max_rate);
    for (const RateCheck& check : report.rates) {
        const std::string text =
            fmt::format("{}: {} per run, allowed {}", title_of(*check.property),
                        number_text(check.rate.value), number_text(check.bound));
        if (!check.met) {
            take_worse(Inconclusive{"", text}, report);
        } else if (!*check.met) {
            take_worse(Violated{text}, report);
        }
    }
}

void note_interrupt(RunReport& report) {
    if (interrupt_requested()) {
        report.verdict = Inconclusive{"", "interrupted"};
        report.is_interrupted = true;
    }
}

}  // namespace

void judge_measurement(std::optional<double> below, const RateBounds& max_rate, RunReport& report) {
    const auto& points = std::get<Measurement>(report.details).points;
    for (const MeasuredPoint& point : points) {
        const MeasureResult& result = point.result;
        if (point.agreement && !point.agreement->agrees()) {
            take_worse(
                Disagreement{"exact and sampled differ: " + difference_text(*point.agreement)},
                report);
        }
        // A whole graph may still lack bounds over all schedulers.
        if (!result.complete || !result.limit.empty()) {
            take_worse(Inconclusive{result.limit}, report);
        }
        if (below) {
            judge_below(result, *below, report);
        }
    }
    if (!max_rate.empty() && !points.empty()) {
        judge_bounds(points.front().result, max_rate, report);
    }
    note_interrupt(report);
}

void judge_measurement(std::optional<double> below, const RateBounds& max_rate,
                       const std::vector<Job>& jobs, std::optional<std::uint64_t> bytes_max,
                       RunReport& report) {
    judge_measurement(below, max_rate, report);
    if (jobs.size() == 1 && !interrupt_requested()) {
        const auto& seconds_max = jobs.front().scenario.limits.seconds_max;
        const GoalLimits limits{
            .bytes_max = bytes_max.value_or(memory_default()),
            .seconds_max = std::max(0.0, seconds_max.value_or(kNoTimeLimit) - report.seconds)};
        const Deadline began;
        judge_goals(jobs.front(), jobs.front().reach, limits, "measured", report);
        report.seconds += began.elapsed();
        note_interrupt(report);
    }
}

}  // namespace lockkeeper
