// SPDX-License-Identifier: Apache-2.0
#include "measure/measure_message.hpp"

#include "scheduler/ranks/property_message.hpp"

namespace lockkeeper {
namespace {

// Most spreads of some runs are of nothing, or of zeros only.
enum class SpreadForm : std::uint8_t { kEmpty, kZeros, kWhole };

void write_spread(const Spread& spread, MessageWriter& out) {
    const bool is_zero =
        spread.mean == 0 && spread.squares == 0 && spread.most == 0 && spread.positive == 0;
    const SpreadForm form = !is_zero            ? SpreadForm::kWhole
                            : spread.count == 0 ? SpreadForm::kEmpty
                                                : SpreadForm::kZeros;
    out.value(form);
    if (form == SpreadForm::kWhole) {
        out.value(spread);
    } else if (form == SpreadForm::kZeros) {
        out.value(spread.count);
    }
}

Spread read_spread(MessageReader& in) {
    const auto form = in.value<SpreadForm>();
    if (form == SpreadForm::kWhole) {
        return in.value<Spread>();
    }
    Spread spread;
    spread.count = form == SpreadForm::kZeros ? in.value<std::uint64_t>() : 0;
    return spread;
}

// In the order in which they are sent.
constexpr Spread RunTally::*kSpreadsOfRuns[] = {&RunTally::acquires,  &RunTally::lost,
                                                &RunTally::seconds,   &RunTally::seconds_to_seizure,
                                                &RunTally::contended, &RunTally::to_longest,
                                                &RunTally::to_newest, &RunTally::by_equal_chances};
constexpr Spread PropertyTally::*kSpreadsOfProperty[] = {
    &PropertyTally::count, &PropertyTally::seconds_until, &PropertyTally::violating_seconds,
    &PropertyTally::share_of_time, &PropertyTally::overlap_lasts};

}  // namespace

void write_options(const MeasureOptions& options, MessageWriter& out) {
    out.value(options.law);
    write_properties(options.check, out);
    out.value(options.seed);
    out.value(options.jobs);
    out.value(options.ages);
    out.value(options.runs_max);
    out.value(options.steps_max);
}

MeasureOptions read_measure_options(MessageReader& in) {
    MeasureOptions options;
    options.law = in.value<Law>();
    options.check = read_properties(in);
    options.seed = in.value<std::uint64_t>();
    options.jobs = in.value<unsigned>();
    options.ages = in.value<bool>();
    options.runs_max = in.value<std::uint64_t>();
    options.steps_max = in.value<std::uint64_t>();
    return options;
}

void write_tally(const RunTally& tally, MessageWriter& out) {
    for (const std::uint64_t number :
         {tally.runs, tally.steps, tally.cut_runs, tally.seized_runs, tally.cut_unseized}) {
        out.value(number);
    }
    out.value(tally.has_virtual_time);
    for (const auto spread : kSpreadsOfRuns) {
        write_spread(tally.*spread, out);
    }
    out.value(std::uint64_t{tally.properties.size()});
    for (const PropertyTally& of : tally.properties) {
        out.value(of.hits);
        out.value(of.cut_before);
        out.value(of.has_time);
        for (const auto spread : kSpreadsOfProperty) {
            write_spread(of.*spread, out);
        }
    }
}

RunTally read_tally(MessageReader& in) {
    RunTally tally;
    for (std::uint64_t* number :
         {&tally.runs, &tally.steps, &tally.cut_runs, &tally.seized_runs, &tally.cut_unseized}) {
        *number = in.value<std::uint64_t>();
    }
    tally.has_virtual_time = in.value<bool>();
    for (const auto spread : kSpreadsOfRuns) {
        tally.*spread = read_spread(in);
    }
    tally.properties.resize(in.value<std::uint64_t>());
    for (PropertyTally& of : tally.properties) {
        of.hits = in.value<std::uint64_t>();
        of.cut_before = in.value<std::uint64_t>();
        of.has_time = in.value<bool>();
        for (const auto spread : kSpreadsOfProperty) {
            of.*spread = read_spread(in);
        }
    }
    return tally;
}

void write_plan(const SplittingPlan& plan, MessageWriter& out) {
    out.value(plan.score);
    out.array(plan.levels);
    out.value(plan.variance);
    out.value(plan.steps);
}

SplittingPlan read_plan(MessageReader& in) {
    SplittingPlan plan;
    plan.score = in.value<Score>();
    plan.levels = in.array<std::int64_t>();
    plan.variance = in.value<double>();
    plan.steps = in.value<double>();
    return plan;
}

void write_estimate(const SplittingEstimate& estimate, MessageWriter& out) {
    out.value(estimate.per_run);
    out.value(estimate.count);
    out.value(estimate.runs);
    out.value(estimate.steps);
    out.value(estimate.crossed_first);
    out.value(estimate.runs_of_first);
    out.text(estimate.limit);
}

SplittingEstimate read_estimate(MessageReader& in) {
    SplittingEstimate estimate;
    estimate.per_run = in.value<double>();
    estimate.count = in.value<double>();
    estimate.runs = in.value<std::uint64_t>();
    estimate.steps = in.value<std::uint64_t>();
    estimate.crossed_first = in.value<std::uint64_t>();
    estimate.runs_of_first = in.value<std::uint64_t>();
    estimate.limit = in.text();
    return estimate;
}

}  // namespace lockkeeper
