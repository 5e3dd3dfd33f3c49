// SPDX-License-Identifier: Apache-2.0

// Makes a list of choices that fails short (delta debugging), whoever runs it: schedules of
// Systems (shrinker.hpp), of outside programs, of real servers. Whoever asks runs the candidates.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/action.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {

using Actions = std::vector<Action>;

enum class ShrinkPass : std::uint8_t {
    kParties,      // leaves out all actions of one kind of one actor
    kRuns,         // leaves out runs of half of the length, a quarter, ... one
    kRunsOfEach,   // the same, and of every length up to kEachLengthMax: whole operations go best
    kSingleSteps,  // leaves out one action, the last first
    kJoin,         // moves an action forward to where its party was interrupted
};
inline constexpr std::size_t kEachLengthMax = 16;

struct Shrinking {
    // Runs a candidate and passes over what is not possible. What was taken up to the failure that
    // is looked for; nothing: it did not come.
    std::function<std::optional<Actions>(const Actions&)> up_to_failure;
    std::function<bool()> may_go_on;
};

// The passes in their order, again until nothing becomes smaller or `rounds_max` is reached. A
// candidate stays if it is shorter, or as short and interrupts fewer parties.
[[nodiscard]] Actions shrink_actions(Actions failing, std::span<const ShrinkPass> passes,
                                     std::size_t rounds_max, const Shrinking& shrinking);

[[nodiscard]] Actions without(const Actions& actions, std::size_t at, std::size_t count);
// The next action of `party` after position `at`, moved there; nothing: there is none.
[[nodiscard]] std::optional<Actions> with_moved(const Actions& actions, std::size_t at,
                                                Party party);

// The schedule with decision `at` taken the other way: a fault left out, or the party of the step
// before going on instead. Nothing: it was no decision. `possible`: what was possible there.
[[nodiscard]] std::optional<Actions> flipped_at(const Actions& actions, std::size_t at,
                                                std::span<const Action> possible);

}  // namespace lockkeeper
