// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/search_progress.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kLevelsMost = std::size_t{1} << 28U;

struct Numbers {
    std::uint64_t first_shard;
    std::uint64_t transitions;
    std::uint64_t terminal_states;
    std::uint64_t depth;
};

}  // namespace

void SearchProgress::save(CheckpointWriter& file) const {
    file.value(Numbers{first_shard, transitions, terminal_states, depth});
    file.value(next);
    file.value(stripe_end);
    file.value(level_end);
    file.array(levels);
    file.array(first);
    for (const std::vector<ViolationPlace>& places : more) {
        file.array(places);
    }
    file.array(order_found);
    file.array(goal_reached);
    file.value(stuck);
    file.value(time_over);
}

void SearchProgress::load(CheckpointReader& file) {
    const std::size_t properties = first.size();
    const std::size_t goals = goal_reached.size();
    Numbers numbers{};
    file.value(numbers);
    first_shard = numbers.first_shard;
    transitions = numbers.transitions;
    terminal_states = numbers.terminal_states;
    depth = numbers.depth;
    file.value(next);
    file.value(stripe_end);
    file.value(level_end);
    file.array(levels, kLevelsMost);
    file.array(first, properties);
    for (std::vector<ViolationPlace>& places : more) {
        file.array(places, kPlacesMax);
    }
    file.array(order_found, properties);
    file.array(goal_reached, goals);
    file.value(stuck);
    file.value(time_over);
    bool fits = first_shard < StateStore::kShards && first.size() == properties &&
                goal_reached.size() == goals;
    for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
        fits = fits && next[shard] <= stripe_end[shard] && stripe_end[shard] <= level_end[shard];
    }
    for (const std::size_t property : order_found) {
        fits = fits && property < properties;
    }
    if (!fits) {
        file.fail("is damaged");
    }
}

}  // namespace lockkeeper
