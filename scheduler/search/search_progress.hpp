// SPDX-License-Identifier: Apache-2.0

// How far an exploration has come and what it has found: everything beside the states that a
// checkpoint must keep.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "scheduler/base/checkpoint.hpp"
#include "scheduler/search/state_store.hpp"

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
    // `collects`: keeps more places of each property than the first.
    SearchProgress(std::size_t properties, std::size_t goals, bool collects = false)
        : first(properties), more(collects ? properties : 0), goal_reached(goals, 0) {}
    static constexpr std::size_t kPlacesMax = 4096;  // of one property beside the first

    std::size_t first_shard = 0;  // has the initial state as its first
    std::uint64_t transitions = 0;
    std::uint64_t terminal_states = 0;
    std::uint64_t depth = 0;
    // For each shard: the next state to expand, the end of the stripe that is being expanded, and
    // the end of the level.
    Indexes next{};
    Indexes stripe_end{};
    Indexes level_end{};
    std::vector<std::uint64_t> levels;              // states of each level
    std::vector<ViolationPlace> first;              // of each property
    std::vector<std::vector<ViolationPlace>> more;  // the next of each property; or empty
    std::vector<std::size_t> order_found;
    std::vector<std::uint8_t> goal_reached;
    ViolationPlace stuck;
    ViolationPlace time_over;  // somebody is unfinished, and virtual time has come to its end

    void note(std::size_t property, const ViolationPlace& place) {
        if (!first[property].found) {
            first[property] = place;
            order_found.push_back(property);
        } else if (wants_more(property)) {
            more[property].push_back(place);
        }
    }
    [[nodiscard]] bool wants_more(std::size_t property) const {
        return !more.empty() && more[property].size() < kPlacesMax;
    }
    // Is still asked about.
    [[nodiscard]] bool is_open(std::size_t property) const {
        return !first[property].found || wants_more(property);
    }

    // Steps are judged before the states of the same level that come later: shortest first.
    void order_by_steps(bool only_first) {
        std::stable_sort(order_found.begin(), order_found.end(), [&](std::size_t a, std::size_t b) {
            return first[a].steps < first[b].steps;
        });
        if (only_first && order_found.size() > 1) {
            order_found.resize(1);
        }
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

    // The next states of the level to be expanded, at most `most`, of one shard; count 0: none.
    // Shard by shard, from each as many as a stripe has, then the next stripe: so a round has
    // states of all shards, and those who keep different shards work at the same time.
    static constexpr std::size_t kStatesOfStripe = 256;
    struct Piece {
        StateId first = kNoState;
        std::size_t count = 0;
    };
    [[nodiscard]] Piece take(std::size_t most) {
        if (next == stripe_end) {
            for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
                stripe_end[shard] = std::min(level_end[shard], next[shard] + kStatesOfStripe);
            }
        }
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            const std::size_t count = std::min(most, stripe_end[shard] - next[shard]);
            if (count > 0) {
                next[shard] += count;
                return {StateStore::id_of(shard, next[shard] - count), count};
            }
        }
        return {};
    }

    void save(CheckpointWriter& file) const;
    // Properties and goals must be as many as when it was saved.
    void load(CheckpointReader& file);
};

// While it lives, states that were only judged, from `judged_from` on and a level too deep, are yet
// to be expanded: so a checkpoint keeps them. nullptr: there are none.
class JudgedAgain {
  public:
    JudgedAgain(SearchProgress& progress, const SearchProgress::Indexes* judged_from)
        : progress_(progress),
          next_(progress.next),
          stripe_end_(progress.stripe_end),
          depth_(progress.depth) {
        if (judged_from != nullptr) {  // where a level begins, and its first stripe
            progress_.next = *judged_from;
            progress_.stripe_end = *judged_from;
            ++progress_.depth;
        }
    }
    JudgedAgain(const JudgedAgain&) = delete;
    JudgedAgain& operator=(const JudgedAgain&) = delete;
    ~JudgedAgain() {
        progress_.next = next_;
        progress_.stripe_end = stripe_end_;
        progress_.depth = depth_;
    }

  private:
    SearchProgress& progress_;
    SearchProgress::Indexes next_;
    SearchProgress::Indexes stripe_end_;
    std::uint64_t depth_;
};

}  // namespace lockkeeper
