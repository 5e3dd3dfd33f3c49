// SPDX-License-Identifier: Apache-2.0

// The cheapest run that explains the lines of logs: Dijkstra's search over the states of Walk,
// depth first among those of one cost. Called by explain.hpp.
//
// Steps that cost something are tried only once all that cost nothing have been: complete logs are
// explained in about as many states as they have lines. Deterministic: the same problem gives the
// same run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "validate/histories/linearize.hpp"
#include "validate/logs/walk.hpp"

namespace lockkeeper::logs {

// Lines that some run has explained so far, those of the problem, and states.
using OnProgress =
    std::function<void(std::size_t explained, std::size_t lines, std::uint64_t states)>;

struct SearchLimits {
    std::uint32_t lost_max = 0;             // lines that may be missing
    std::uint32_t unseen_max = UINT32_MAX;  // operations of a kind that no line shows
    bool allows_uncovered = true;           // effects of callers that do not hold
    const SearchBudget* budget = nullptr;
    std::uint64_t states_max = UINT64_MAX;
    OnProgress on_progress = nullptr;  // called every kStatesPerProgress states; null: never
};

inline constexpr std::uint64_t kStatesPerProgress = 1U << 12U;

// How far the lines could be read: the state whose first line that was not read is the latest.
struct Furthest {
    WalkState state;
    std::vector<Step> steps;  // that lead there
    Place line;               // the first that was not read: no run gets behind it
    std::int64_t time = kLongAgo;
    std::size_t lines = 0;  // that were read
};

struct Found {
    bool is_found = false;
    Cost cost;
    std::vector<Step> steps;
    const char* limit = nullptr;  // not null: it ended before all was tried
    Furthest furthest;
    std::uint64_t states = 0;
};

inline constexpr std::size_t kStraysMax = 4096;
inline constexpr const char* kManyStates = "states";  // the limit: states_max

[[nodiscard]] Found search_runs(const Problem& problem, const SearchLimits& limits);

}  // namespace lockkeeper::logs
