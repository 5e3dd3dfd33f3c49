// SPDX-License-Identifier: Apache-2.0
#include "measure/forecast.hpp"

#include <cmath>
#include <limits>

#include "model/check.hpp"

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

}  // namespace lockkeeper
