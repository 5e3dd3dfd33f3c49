// SPDX-License-Identifier: Apache-2.0

// The differences of a model from a real server (compared_server.hpp). Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.hpp"
#include "model/verdict.hpp"

namespace lockkeeper::databases {

struct Difference {
    std::size_t step = 0;                 // from 1, of `schedule`
    std::string text;                     // of that step
    std::string model;                    // what the model shows
    std::string server;                   // what the server shows
    Schedule schedule;                    // the smallest that still differs, up to the step
    std::vector<std::string> steps;       // of that schedule, in words
    std::vector<std::string> statements;  // sent in that run
};

// Passed: model and server agree. Violated: they differ.
struct Comparison {
    Verdict verdict;
    std::uint64_t schedules = 0;
    std::uint64_t steps = 0;       // taken by model and server
    std::uint64_t statements = 0;  // of callers, sent to the server
    std::optional<Difference> difference;
};

}  // namespace lockkeeper::databases
