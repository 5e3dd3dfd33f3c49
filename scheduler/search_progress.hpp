// How far an exploration has come and what it has found: everything beside the states that a
// checkpoint must keep.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "scheduler/checkpoint.hpp"
#include "scheduler/state_store.hpp"

namespace lockkeeper {

// Where a property is broken: in state `from` itself, or by the action taken there.
struct ViolationPlace {
    StateId from = kNoState;
    Action action;
    std::uint64_t steps = 0;  // transitions of the explored graph before it is broken
    bool found = false;
    bool in_state = false;
    std::array<std::uint8_t, 6> padding{};
};
static_assert(std::has_unique_object_representations_v<ViolationPlace>);

struct SearchProgress {
    using Indexes = std::array<std::size_t, StateStore::kShards>;

    SearchProgress() = default;
    SearchProgress(std::size_t properties, std::size_t goals)
        : first(properties), goal_reached(goals, 0) {}

    std::size_t first_shard = 0;  // has the initial state as its first
    std::uint64_t transitions = 0;
    std::uint64_t terminal_states = 0;
    std::uint64_t depth = 0;
    // Of each shard: the next state to expand, and the end of the level.
    Indexes next{};
    Indexes level_end{};
    std::vector<std::uint64_t> levels;  // states of each level
    std::vector<ViolationPlace> first;  // of each property
    std::vector<std::size_t> order_found;
    std::vector<std::uint8_t> goal_reached;
    ViolationPlace stuck;

    void note(std::size_t property, const ViolationPlace& place) {
        if (!first[property].found) {
            first[property] = place;
            order_found.push_back(property);
        }
    }

    // Steps are judged before the states of the same level that come later: shortest first.
    void order_by_steps() {
        std::stable_sort(order_found.begin(), order_found.end(), [&](std::size_t a, std::size_t b) {
            return first[a].steps < first[b].steps;
        });
    }

    [[nodiscard]] std::uint64_t expanded() const {
        std::uint64_t sum = 0;
        for (const std::size_t index : next) {
            sum += index;
        }
        return sum;
    }
    // States of this level that are yet to be expanded.
    [[nodiscard]] std::uint64_t waiting() const {
        std::uint64_t sum = 0;
        for (const std::size_t index : level_end) {
            sum += index;
        }
        return sum - expanded();
    }

    void save(CheckpointWriter& file) const;
    // Properties and goals must be as many as when it was saved.
    void load(CheckpointReader& file);
};

}  // namespace lockkeeper
