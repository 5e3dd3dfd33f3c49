// SPDX-License-Identifier: Apache-2.0

// From measured rates and a load to the sentences that an operator needs. Called by the verb
// `measure` when the scenario has "traffic".
//
// Everything is per acquire: what a run loses, by what it acquires, times the acquires of a day.
// Assumed: losses come one by one, independently, at this constant rate, until the key is
// restarted empty; the callers of the scenario stand for all callers; nothing is won back.
// An interval is made of the ends of the figures' intervals: with two sampled figures of confidence
// c it covers with at least 2c - 1. Units: seconds, units of capacity, events a day.
// Errors: none. Infinite where nothing is lost.
#pragma once

#include <vector>

#include "measure/measure.hpp"

namespace lockkeeper {

struct Load {
    double acquires_per_second = 0;  // above 0; of the key
    double capacity = 0;             // units of the key; 0: a lock without such
    double share = 0.01;             // of the capacity that may be lost before a restart
};

struct EventsPerDay {
    const Property* property = nullptr;
    Figure per_day;
};

struct Forecast {
    Load load;
    std::vector<EventsPerDay> events;  // of each property
    // The rest of locks that have a capacity, and of scenarios whose runs end: what a run that goes
    // on for ever has lost at its end is nobody's figure.
    bool has_capacity = false;
    Figure units_per_acquire;  // lost
    Figure units_per_day;      // lost
    Figure seconds_to_seizure;
    Figure restart_seconds;  // a restart as often keeps the expected loss under the share
};

[[nodiscard]] Forecast forecast_of(const MeasureResult& measured, const Load& load);

}  // namespace lockkeeper
