// SPDX-License-Identifier: Apache-2.0

// The messages of ranks that measure together (scheduler/ranks/fields.hpp): options, tallies of
// runs, plans and estimates of splitting, points of a sweep. Included by sources only.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "measure/measure.hpp"
#include "measure/sampled_run.hpp"
#include "measure/splitting.hpp"
#include "measure/sweep_run.hpp"
#include "scheduler/ranks/fields.hpp"

namespace lockkeeper {

template <>
inline constexpr bool kIsPlain<Law> = true;
template <>
inline constexpr bool kIsPlain<Load> = true;
template <>
inline constexpr bool kIsPlain<Figure> = true;
template <>
inline constexpr bool kIsPlain<ServedShares> = true;
template <>
inline constexpr bool kIsPlain<Capacities> = true;

// The options that a run depends on, and how many workers a rank has; not the limits.
template <class Way>
void pass(const Way& way, MeasureOptions& options) {
    pass_all(way, options.law, options.check, options.seed, options.jobs, options.ages,
             options.runs_max, options.steps_max);
}

// Most spreads of some runs are of nothing, or of zeros only.
enum class SpreadForm : std::uint8_t { kEmpty, kZeros, kWhole };
template <class Way>
void pass(const Way& way, Spread& spread) {
    const bool is_zero =
        spread.mean == 0 && spread.squares == 0 && spread.most == 0 && spread.positive == 0;
    SpreadForm form = !is_zero            ? SpreadForm::kWhole
                      : spread.count == 0 ? SpreadForm::kEmpty
                                          : SpreadForm::kZeros;
    pass(way, form);
    if constexpr (Way::kReads) {
        spread = form == SpreadForm::kWhole ? way.in.template value<Spread>() : Spread{};
    } else if (form == SpreadForm::kWhole) {
        way.out.value(spread);
    }
    if (form == SpreadForm::kZeros) {
        pass(way, spread.count);
    }
}
template <class Way>
void pass(const Way& way, PropertyTally& tally) {
    pass_all(way, tally.hits, tally.cut_before, tally.has_time, tally.count, tally.seconds_until,
             tally.violating_seconds, tally.share_of_time, tally.overlap_lasts);
}
template <class Way>
void pass(const Way& way, RunTally& tally) {
    pass_all(way, tally.runs, tally.steps, tally.cut_runs, tally.seized_runs, tally.cut_unseized,
             tally.has_virtual_time, tally.acquires, tally.lost, tally.seconds,
             tally.seconds_to_seizure, tally.contended, tally.to_longest, tally.to_newest,
             tally.by_equal_chances, tally.properties);
}

template <class Way>
void pass(const Way& way, SplittingPlan& plan) {
    pass_all(way, plan.score, plan.levels, plan.variance, plan.steps);
}
template <class Way>
void pass(const Way& way, SplittingEstimate& estimate) {
    pass_all(way, estimate.per_run, estimate.count, estimate.runs, estimate.steps,
             estimate.crossed_first, estimate.runs_of_first, estimate.limit);
}

template <class Way>
void pass(const Way& way, std::pair<std::string, double>& named) {
    pass_all(way, named.first, named.second);
}
template <class Way>
void pass(const Way& way, Schedule& schedule) {
    pass_all(way, schedule.seed, schedule.actions);
}
template <class Way>
void pass(const Way& way, ExtremeRates& rates) {
    pass_all(way, rates.least, rates.most, rates.schedule_least, rates.schedule_most);
}
template <class Way>
void pass(const Way& way, PropertyRates& rates) {
    pass_all(way, rates.property, rates.per_run, rates.count_per_run, rates.per_acquire,
             rates.to_first, rates.fraction_of_time, rates.violating_seconds, rates.overlap_lasts,
             rates.overlap_lasts_if_any, rates.extremes, rates.hits);
}
template <class Way>
void pass(const Way& way, MeasureResult& result) {
    pass_all(way, result.method, result.law, result.complete, result.limit, result.properties,
             result.acquires_per_run, result.capacity_lost, result.seconds_to_seizure,
             result.seconds_per_run, result.served, result.states, result.transitions, result.runs,
             result.steps, result.cut_runs, result.confidence, result.is_below, result.seconds);
}
template <class Way>
void pass(const Way& way, FigureDifference& difference) {
    pass_all(way, difference.property, difference.which, difference.exact, difference.sampled);
}
template <class Way>
void pass(const Way& way, Agreement& agreement) {
    pass_all(way, agreement.sampled, agreement.figures, agreement.difference);
}
template <class Way>
void pass(const Way& way, EventsPerDay& events) {
    pass_all(way, events.property, events.per_day);
}
template <class Way>
void pass(const Way& way, Forecast& forecast) {
    pass_all(way, forecast.load, forecast.events, forecast.has_capacity, forecast.units_per_acquire,
             forecast.units_per_day, forecast.seconds_to_seizure, forecast.restart_seconds);
}
template <class Way>
void pass(const Way&, RunsNeverEnd&) {}
template <class Way>
void pass(const Way& way, RunsWereCut& cut) {
    pass_all(way, cut.cut, cut.runs);
}
template <class Way>
void pass(const Way& way, SamplingEnded& ended) {
    pass(way, ended.limit);
}
template <class Way>
void pass(const Way&, std::monostate&) {}

// The alternative with this index, made where it is read.
template <std::size_t kIndex>
void become(NotCompared& why, std::size_t index) {
    if constexpr (kIndex < std::variant_size_v<NotCompared>) {
        if (index == kIndex) {
            why.emplace<kIndex>();
        } else {
            become<kIndex + 1>(why, index);
        }
    } else {
        unreachable("a reason of another version");
    }
}
template <class Way>
void pass(const Way& way, NotCompared& why) {
    std::uint64_t index = why.index();
    pass(way, index);
    if (index != why.index()) {
        become<0>(why, index);
    }
    std::visit([&](auto& reason) { pass(way, reason); }, why);
}

template <class Way>
void pass(const Way& way, MeasuredPoint& point) {
    pass_all(way, point.system, point.variant, point.scope, point.at, point.capacity, point.result,
             point.agreement, point.not_compared, point.forecast);
}
template <class Way>
void pass(const Way& way, SweptViolation& violation) {
    pass_all(way, violation.property, violation.steps);
}
template <class Way>
void pass(const Way& way, SweptPoint& point) {
    pass_all(way, point.callers, point.states, point.complete, point.violations, point.measured,
             point.limit);
}

}  // namespace lockkeeper
