// SPDX-License-Identifier: Apache-2.0

// The successors of a few states, made by one worker without touching anything that others write:
// where they go, and what was found on the way (expander.hpp makes them). The explorer puts
// expansions together in their own order, so that nothing depends on who made which.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/judge.hpp"
#include "scheduler/search/search_progress.hpp"
#include "scheduler/search/state_store.hpp"
#include "scheduler/search/successors.hpp"
#include "scheduler/states/state_parts.hpp"

namespace lockkeeper {

// How many states the next round expands, `known` being stored, `in_table` of them in memory. The
// larger the table, the more looks into each part of it should come together.
[[nodiscard]] inline std::size_t states_of_round(std::uint64_t known, std::uint64_t in_table,
                                                 std::uint64_t states_max) {
    constexpr std::size_t kStatesOfRound = 8192;
    constexpr std::size_t kStatesOfLargeRound = 131072;
    constexpr std::size_t kRoundsOfLargeSearch = 64;
    const std::uint64_t allowed = states_max - std::min(states_max, known);
    const auto round = std::clamp<std::size_t>(in_table / kRoundsOfLargeSearch, kStatesOfRound,
                                               kStatesOfLargeRound);
    return std::clamp<std::size_t>(allowed / 8, 1, round);
}

struct FoundHere {
    std::size_t property = 0;
    ViolationPlace place;
};

template <System S>
struct Expansion {
    using State = typename S::State;

    Expansion() = default;
    Expansion(Expansion&&) noexcept = default;  // large: no copies
    Expansion& operator=(Expansion&&) noexcept = default;

    // The states to expand: states of one shard with ascending numbers.
    StateId first = 0;
    std::size_t count = 0;
    std::uint64_t depth = 0;
    bool only_judges = false;  // makes no successors
    bool by_shard = false;

    // Successors of a state in `unknown` may be missing in part; some may stand here twice.
    Successors successors;
    // States with steps or parts that were never seen: learned, or to be expanded again by whoever
    // may learn.
    std::vector<StateId> unknown;
    std::vector<std::uint64_t> unknown_records;  // theirs, of those that another process keeps
    std::uint64_t transitions = 0;
    std::uint64_t terminal_states = 0;
    std::vector<FoundHere> found;      // the first of each property
    std::vector<FoundHere> stuck;      // the first, if any
    std::vector<FoundHere> time_over;  // the same, where virtual time has come to its end
    std::vector<std::size_t> goals;    // reached, each once

    void plan(StateId first_state, std::size_t states, std::uint64_t steps, bool judges_only,
              bool sorts_by_shard) {
        first = first_state;
        count = states;
        depth = steps;
        only_judges = judges_only;
        by_shard = sorts_by_shard;
    }
    void clear() {
        successors.clear(by_shard);
        unknown.clear();
        unknown_records.clear();
        transitions = 0;
        terminal_states = 0;
        found.clear();
        stuck.clear();
        time_over.clear();
        goals.clear();
    }
};

// Whether one worker alone, who learns as it goes, would have been faster with these than several
// who have to wait for what it learns and then make most of them again.
template <System S>
[[nodiscard]] bool is_mostly_new(std::span<const Expansion<S>> round, std::size_t workers) {
    std::size_t states = 0;
    std::size_t new_states = 0;
    std::size_t states_again = 0;
    for (const Expansion<S>& expansion : round) {
        states += expansion.count;
        new_states += expansion.unknown.size();
        states_again += expansion.unknown.empty() ? 0 : expansion.count;
    }
    return (states + states_again) / workers + new_states >= states;
}

// Some private step, or nothing.
template <System S>
[[nodiscard]] bool find_private_step(const S& system, const typename S::State& state,
                                     std::uint32_t visible, Action& found) {
    if constexpr (kHintsOf<S>.local_steps) {
        ActionList actions;
        for (std::size_t slot = 0; slot < system.slots_count(); ++slot) {
            system.enabled_of(state, slot, actions);
            for (Action action : actions) {
                if (system.is_private(state, action, visible)) {
                    found = action;
                    return true;
                }
            }
        }
    }
    return false;
}

// A cycle of private steps would be a mistake of the model: the others would never come to act.
inline constexpr int kPrivateStepsMax = 10'000;

// Takes private steps until there is none; each is shown to `taken(state, action, event)`.
template <System S, class Taken>
void take_private_steps(const S& system, typename S::State& state, std::uint32_t visible,
                        Taken taken) {
    Action action;
    for (int steps = 0; find_private_step(system, state, visible, action); ++steps) {
        LOCKKEEPER_CHECK(steps < kPrivateStepsMax);
        const Event event = system.apply(state, action);
        taken(state, action, event);
    }
}

// Whether private steps are looked for when somebody asks for it.
template <System S>
[[nodiscard]] bool may_reduce(const S& system) {
    return has_local_steps(system) && !kHintsOf<S>.wide_steps;
}

// Returns the reduction that is asked for and possible, beside relative time. Without kept records
// nobody can say which state covers which.
template <System S>
[[nodiscard]] Reduction possible_reduction(const S& system, const ExploreOptions& options) {
    const Reduction asked = without_relative_time(options.reduction);
    bool is_possible = asked == Reduction::kPrivateSteps && may_reduce(system);
    if constexpr (kHintsOf<S>.faults_left) {
        is_possible |= asked == Reduction::kFaultsLeft && options.storage == Storage::kExact &&
                       system.has_faults_left();
    }
    return is_possible ? asked : Reduction::kNone;
}

// Where the store keeps records that have room for them.
template <System S>
[[nodiscard]] bool may_use_sleep_sets(const S& system, const ExploreOptions& options) {
    return kHintsOf<S>.footprints && options.sleep_sets && options.storage == Storage::kExact &&
           has_local_steps(system);
}

}  // namespace lockkeeper
