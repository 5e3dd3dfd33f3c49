// SPDX-License-Identifier: Apache-2.0
#include "measure/measured_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "measure/exact.hpp"
#include "measure/sampled.hpp"
#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/coarse_time.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper {
namespace {

constexpr double kSecondsPerDay = 86'400;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// 0 by 0 is 0: nothing was lost by nobody.
double ratio(double part, double whole) {
    if (part == 0) {
        return 0;
    }
    return whole == 0 ? kInfinite : part / whole;
}

Figure ratio_of(const Figure& part, const Figure& whole) {
    return {ratio(part.value, whole.value), ratio(part.low, whole.high),
            ratio(part.high, whole.low)};
}

Figure times(const Figure& figure, double factor) {
    return {figure.value * factor, figure.low * factor, figure.high * factor};
}

// How long until so many units are gone.
Figure time_for(double units, const Figure& per_second) {
    const auto time = [&](double rate) { return rate == 0 ? kInfinite : units / rate; };
    return {time(per_second.value), time(per_second.high), time(per_second.low)};
}

}  // namespace

Forecast forecast_of(const MeasureResult& measured, const Load& load) {
    LOCKKEEPER_CHECK(load.acquires_per_second > 0);
    Forecast forecast;
    forecast.load = load;
    const double acquires_per_day = load.acquires_per_second * kSecondsPerDay;
    for (const PropertyRates& rates : measured.properties) {
        // A property at rest has no events: a state at rest is counted whenever it is met.
        if (rates.property->kind == PropertyKind::kAlways) {
            forecast.events.push_back({rates.property, times(rates.per_acquire, acquires_per_day)});
        }
    }
    forecast.has_capacity = load.capacity > 0 && measured.every_run_ends();
    forecast.units_per_acquire = ratio_of(measured.capacity_lost, measured.acquires_per_run);
    forecast.units_per_day = times(forecast.units_per_acquire, acquires_per_day);
    const Figure per_second = times(forecast.units_per_acquire, load.acquires_per_second);
    forecast.seconds_to_seizure = time_for(load.capacity, per_second);
    forecast.restart_seconds = time_for(load.capacity * load.share, per_second);
    return forecast;
}

namespace {

void compare(const Property* property, ComparedFigure which, const Figure& exact,
             const Figure& sampled, Agreement& agreement) {
    constexpr double kRounding = 1e-9;
    if (std::isinf(exact.value) || !std::isfinite(sampled.value)) {
        return;  // what need not happen has no mean
    }
    ++agreement.figures;
    const double margin = kRounding * std::max(1.0, std::abs(exact.value));
    if (agreement.agrees() &&
        (exact.low > sampled.high + margin || exact.high < sampled.low - margin)) {
        agreement.difference = {property, which, exact, sampled};
    }
}
void compare(const Property* property, ComparedFigure which, const std::optional<Figure>& exact,
             const std::optional<Figure>& sampled, Agreement& agreement) {
    if (exact && sampled) {
        compare(property, which, *exact, *sampled, agreement);
    }
}

void compare_property(const PropertyRates& exact, const PropertyRates& sampled,
                      Agreement& agreement) {
    using enum ComparedFigure;
    const auto one = [&](ComparedFigure which, auto member) {
        compare(exact.property, which, exact.*member, sampled.*member, agreement);
    };
    one(kPerRun, &PropertyRates::per_run);
    if (sampled.hits < kHitsOfAMean) {
        return;
    }
    one(kCountPerRun, &PropertyRates::count_per_run);
    one(kPerAcquire, &PropertyRates::per_acquire);
    one(kSecondsToFirst, &PropertyRates::to_first);
    one(kViolatingSeconds, &PropertyRates::violating_seconds);
    one(kOverlapLasts, &PropertyRates::overlap_lasts);
    one(kOverlapLastsIfAny, &PropertyRates::overlap_lasts_if_any);
}

// With --method auto: the exact result where the graph is small enough, else the sampled one.
MeasureResult exact_or_sampled(const Runner& runner, MeasureOptions options,
                               bool states_are_given) {
    if (!states_are_given) {
        options.states_max = std::min(options.states_max, kExactStates);
    }
    MeasureResult exact = measure_exactly(runner.erased(), options);
    if (exact.complete || interrupt_requested()) {
        return exact;
    }
    options.seconds_max = std::max(0.0, options.seconds_max - exact.seconds);
    return measure_by_sampling(runner.walkers(), options);
}

void check_by_sampling(const Runner& runner, MeasureOptions options, MeasuredPoint& point) {
    if (!std::isfinite(point.result.acquires_per_run.value)) {
        point.not_compared = RunsNeverEnd{};
        return;
    }
    options.runs_max = kCheckRuns;
    options.steps_max = kCheckSteps;
    options.seconds_max = std::max(0.0, options.seconds_max - point.result.seconds);
    options.confidence = kCheckConfidence;
    options.relative_width = 0;
    options.below.reset();
    MeasureResult sampled = measure_by_sampling(runner.walkers(), options);
    if (sampled.cut_runs > 0) {
        point.not_compared = RunsWereCut{sampled.cut_runs, sampled.runs};
    } else if (!sampled.complete) {
        point.not_compared = SamplingEnded{sampled.limit};
    } else {
        point.agreement = compared(point.result, std::move(sampled));
    }
}

// Nobody knows how much more often something happens with the instants that are left out: figures
// have no upper end. A thing that was met is met.
void leave_open_above(const std::string& left_out, MeasureResult& result) {
    if (left_out.empty()) {
        return;
    }
    if (result.complete || result.limit.empty()) {
        result.limit = left_out;
    }
    result.complete = false;
    for (PropertyRates& rates : result.properties) {
        rates.per_run.high = 1;
        rates.count_per_run.high = kInfinite;
        rates.per_acquire.high = kInfinite;
        rates.extremes.reset();
    }
    result.capacity_lost.high = kInfinite;
    if (result.is_below == true) {
        result.is_below.reset();
    }
}

std::optional<bool> met_by(const Figure& rate, double bound) {
    if (rate.low > bound) {
        return false;
    }
    return rate.high <= bound ? std::optional(true) : std::nullopt;
}

// No number of runs shows that something never happens.
void decide_by_sampling(const Runner& runner, MeasureOptions options, RateCheck& check) {
    options.check = {check.property};
    if (check.bound > 0 && check.bound < 1) {
        options.below = check.bound;
    } else {
        options.runs_max = kCheckRuns;
    }
    MeasureResult sampled = measure_by_sampling(runner.walkers(), options);
    leave_open_above(limit_of_time(runner), sampled);
    check.rate = sampled.properties.front().per_run;
    check.method = sampled.method;
    if (check.bound >= 1) {
        check.met = true;
    } else if (check.bound > 0) {
        check.met = sampled.is_below;
    } else if (check.rate.value > 0) {
        check.met = false;
    }
}

// Places of the first key, as its largest acquire sees them; 0: the system has no capacity.
double capacity_of(const Runner& runner, const Scenario& scenario) {
    if ((runner.features() & kHasCapacity) == 0) {
        return 0;
    }
    double capacity = 0;
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire && operation.key == 0) {
                const int buckets =
                    operation.follows_resizes ? scenario.world.views.front() : operation.places;
                capacity =
                    std::max(capacity, static_cast<double>(operation.place_capacity) * buckets);
            }
        }
    }
    return capacity;
}

// Others that help have to know about what.
MeasureOptions with_scope(MeasureOptions options, const Scenario& scenario) {
    if (options.helpers.ranks != nullptr) {
        options.helpers.scope = to_json_text(scenario);
    }
    return options;
}

void measure_by_method(const Runner& runner, const MeasureOptions& options, bool states_are_given,
                       MeasuredPoint& point) {
    switch (options.method) {
        case MeasureMethod::kAuto:
            point.result = exact_or_sampled(runner, options, states_are_given);
            if (point.result.method == MeasureMethod::kExact && point.result.complete) {
                check_by_sampling(runner, options, point);
            }
            break;
        case MeasureMethod::kExact: point.result = measure_exactly(runner.erased(), options); break;
        case MeasureMethod::kSampled:
            point.result = measure_by_sampling(runner.walkers(), options);
            break;
        case MeasureMethod::kSplitting:
            point.result = measure_by_splitting(runner.walkers(), options);
            break;
    }
}

}  // namespace

Agreement compared(const MeasureResult& exact, MeasureResult sampled) {
    LOCKKEEPER_CHECK(exact.properties.size() == sampled.properties.size() && sampled.cut_runs == 0);
    Agreement agreement;
    const auto whole_run = [&](ComparedFigure which, auto member) {
        compare(nullptr, which, exact.*member, sampled.*member, agreement);
    };
    for (std::size_t i = 0; i < exact.properties.size(); ++i) {
        compare_property(exact.properties[i], sampled.properties[i], agreement);
        if (exact.properties[i].property->name == "leak" &&
            sampled.properties[i].hits >= kHitsOfAMean) {
            whole_run(ComparedFigure::kCapacityLost, &MeasureResult::capacity_lost);
        }
    }
    whole_run(ComparedFigure::kAcquiresPerRun, &MeasureResult::acquires_per_run);
    whole_run(ComparedFigure::kSecondsPerRun, &MeasureResult::seconds_per_run);
    agreement.sampled = std::move(sampled);
    return agreement;
}

std::vector<const Property*> measurable(const std::vector<const Property*>& check) {
    std::vector<const Property*> chosen;
    std::copy_if(check.begin(), check.end(), std::back_inserter(chosen),
                 [](const Property* property) { return !property->is(PropertyNumber::kLivelock); });
    return chosen;
}

MeasureOptions measure_options_of(const Scenario& scenario,
                                  const std::vector<const Property*>& check, const Law& law,
                                  MeasureOptions options) {
    options.law = law;
    options.check = measurable(check);
    if (options.check.size() > kExactPropertiesMax) {
        refuse(scenario, "/check",
               fmt::format("{} properties; at most {} are measured at once", options.check.size(),
                           kExactPropertiesMax));
    }
    const ScenarioLimits& limits = scenario.limits;
    options.symmetry = scenario.symmetry;
    options.states_max = limits.states_max.value_or(options.states_max);
    options.steps_max = limits.steps_max.value_or(options.steps_max);
    options.seconds_max = limits.seconds_max.value_or(options.seconds_max);
    options.seed = scenario.seed;
    return options;
}

MeasuredPoint measure_point(const Runner& runner, const Scenario& scenario,
                            const MeasureOptions& options, bool states_are_given,
                            double loss_share) {
    MeasuredPoint point;
    point.system = scenario.system;
    point.variant = scenario.variant;
    point.capacity = capacity_of(runner, scenario);
    measure_by_method(runner, with_scope(options, scenario), states_are_given, point);
    const std::string left_out = limit_of_time(runner);
    leave_open_above(left_out, point.result);
    if (point.agreement) {
        leave_open_above(left_out, point.agreement->sampled);
    }
    if (scenario.traffic && has_figures(point.result)) {
        point.forecast = forecast_of(
            point.result, {scenario.traffic->acquires_per_second, point.capacity, loss_share});
    }
    return point;
}

BelowCheck check_below(const MeasureResult& result, double bound) {
    const auto largest =
        std::max_element(result.properties.begin(), result.properties.end(),
                         [](const PropertyRates& left, const PropertyRates& right) {
                             return left.per_run.value < right.per_run.value;
                         });
    if (result.method != MeasureMethod::kExact) {
        return {&*largest, result.is_below};
    }
    const bool all =
        std::all_of(result.properties.begin(), result.properties.end(),
                    [&](const PropertyRates& rates) { return rates.per_run.high < bound; });
    if (largest->per_run.low >= bound) {
        return {&*largest, false};
    }
    return {&*largest, all ? std::optional(true) : std::nullopt};
}

std::vector<RateCheck> check_bounds(const MeasureResult& result, const RateBounds& max_rate) {
    std::vector<RateCheck> checks;
    for (const PropertyRates& rates : result.properties) {
        const auto bound = max_rate.find(std::string(rates.property->name));
        if (bound != max_rate.end()) {
            checks.push_back({rates.property, bound->second, rates.per_run, result.method,
                              met_by(rates.per_run, bound->second)});
        }
    }
    return checks;
}

std::vector<RateCheck> check_rates(const Runner& runner, const RateBounds& max_rate,
                                   MeasureOptions options) {
    options.confidence = kGateConfidence;
    std::erase_if(options.check, [&](const Property* property) {
        return !max_rate.contains(std::string(property->name));
    });
    MeasureOptions small = options;
    small.states_max = std::min(small.states_max, kExactStates);
    MeasureResult exact = measure_exactly(runner.erased(), small);
    if (exact.complete) {
        leave_open_above(limit_of_time(runner), exact);
        return check_bounds(exact, max_rate);
    }
    std::vector<RateCheck> checks;
    for (const Property* property : options.check) {
        checks.push_back(
            {property, max_rate.at(std::string(property->name)), {}, MeasureMethod::kExact, {}});
        if (!interrupt_requested()) {
            decide_by_sampling(runner, options, checks.back());
        }
    }
    return checks;
}

}  // namespace lockkeeper
