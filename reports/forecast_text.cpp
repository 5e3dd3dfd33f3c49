// SPDX-License-Identifier: Apache-2.0
#include "reports/forecast_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "work/results/measure_words.hpp"

namespace lockkeeper {
namespace {

std::string capacity_text(const Forecast& forecast, bool sampled) {
    const Load& load = forecast.load;
    std::string text = fmt::format("  capacity lost per day   {} of {} units\n",
                                   with_interval(forecast.units_per_day, sampled), load.capacity);
    text += fmt::format("  the key seizes after    {}\n",
                        time_with_interval(forecast.seconds_to_seizure, sampled));
    if (std::isinf(forecast.restart_seconds.low)) {
        return text + "  no restart is needed\n";
    }
    text +=
        fmt::format("  a restart every         {} keeps the loss under {:g} % of the capacity\n",
                    time_with_interval(forecast.restart_seconds, sampled), load.share * 100);
    if (sampled) {
        text += fmt::format("                          to be on the safe side: {}\n",
                            time_text(forecast.restart_seconds.low));
    }
    return text;
}

}  // namespace

std::string forecast_text(const Forecast& forecast, bool sampled, double confidence) {
    std::string text = fmt::format("forecast for {} acquires per second\n",
                                   number_text(forecast.load.acquires_per_second));
    if (forecast.has_capacity) {
        text += capacity_text(forecast, sampled);
    } else if (forecast.load.capacity > 0) {
        text +=
            "  no forecast of lost capacity: runs do not end, and only an end says what is lost\n";
    }
    for (const EventsPerDay& events : forecast.events) {
        if (events.per_day.value > 0 && events.property->kind == PropertyKind::kAlways) {
            text += fmt::format("  {:<22}  {} per day\n", events.property->name,
                                with_interval(events.per_day, sampled));
        }
    }
    text +=
        "  assumed: events come independently and at this rate all day; the scenario's callers "
        "stand for\n  all; nothing lost is won back before a restart, and each further unit goes "
        "as fast as the "
        "first";
    if (sampled) {
        text += fmt::format("; intervals are made of two figures: at confidence {:.4g}",
                            std::max(0.0, 2 * confidence - 1));
    }
    return text + "\n";
}

}  // namespace lockkeeper
