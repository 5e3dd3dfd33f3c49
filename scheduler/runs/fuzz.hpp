// SPDX-License-Identifier: Apache-2.0

// The options and the result of random runs. Plain values, the same for every System.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/property.hpp"
#include "model/schedule.hpp"
#include "model/verdict.hpp"
#include "scheduler/ranks/helpers.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {

struct FuzzProgress {
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    double seconds = 0;
};

struct FuzzOptions {
    std::vector<const Property*> check;
    std::vector<const Property*> reach;
    std::string strategy = "feedback";  // see strategy.hpp
    bool symmetry = true;               // feedback takes states for one that differ only in names
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;
    std::uint64_t steps_max = 10'000;  // of one schedule
    double seconds_max = 1e18;
    std::size_t jobs = 1;  // of each rank; the same result with any number
    Helpers helpers;       // other ranks; the same
    bool stop_at_first = true;
    bool check_determinism = false;  // run every schedule twice and compare
    std::vector<Schedule> corpus;    // tried before anything is chosen
    std::function<void(const FuzzProgress&)> progress;
};

struct FuzzResult {
    Verdict verdict;
    std::string limit;  // why it ended: "schedules", "time", "interrupted", "first violation"
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;
    std::uint64_t cut_schedules = 0;         // that reached steps_max before their end
    std::vector<FoundViolation> violations;  // the first of each property
    std::vector<std::string> found_by;       // beside it: the strategy, or "corpus"
    std::vector<const Property*> reached;
    double seconds = 0;
};

}  // namespace lockkeeper
