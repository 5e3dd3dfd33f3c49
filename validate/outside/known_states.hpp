// SPDX-License-Identifier: Apache-2.0

// The states from which a search of a source with keys (Source::key) has continued. A sample of the
// runs that reached a known state is kept to test the promise behind the keys
// (stateless_promise.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/action.hpp"

namespace lockkeeper {

inline constexpr std::uint64_t kSeenBytesMax = std::uint64_t{1} << 30U;

class KnownStates {
  public:
    // The preemptions and steps that a run has left.
    struct Left {
        std::uint32_t preemptions = 0;
        std::uint64_t steps = 0;
    };
    // Two runs that reached the same state.
    struct MetAgain {
        std::vector<Action> first;
        std::vector<Action> then;
    };

    // Begins a round: forgets all states, and keeps met_again().
    void clear();
    // True: the search has continued from this state with no less left. Otherwise the state is
    // known from now on, unless the known ones take kSeenBytesMax. `path`: the actions that led to
    // it.
    [[nodiscard]] bool was_seen(std::string key, const Left& left, const std::vector<Action>& path);
    [[nodiscard]] std::uint64_t size() const { return seen_.size(); }
    [[nodiscard]] const std::vector<MetAgain>& met_again() const { return met_again_; }

  private:
    void note_first(std::string_view key, const std::vector<Action>& path);
    void note_again(const std::string& key, const std::vector<Action>& path);

    std::unordered_map<std::string, Left> seen_;
    std::uint64_t seen_bytes_ = 0;
    // The actions that first led to the state, by its key in seen_.
    std::unordered_map<std::string_view, std::vector<Action>> first_paths_;
    std::uint64_t path_bytes_ = 0;
    std::uint64_t cuts_ = 0;
    std::vector<MetAgain> met_again_;
};

}  // namespace lockkeeper
