// SPDX-License-Identifier: Apache-2.0

// The states that a search of a source with keys (Source::key) has gone on from. A sample of the
// runs that came to a known state is kept, so that the promise behind the keys can be tried
// (stateless_promise.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/action.hpp"

namespace lockkeeper {

inline constexpr std::uint64_t kSeenBytesMax = std::uint64_t{1} << 30U;

class KnownStates {
  public:
    // What a run may still do from here.
    struct Left {
        std::uint32_t preemptions = 0;
        std::uint64_t steps = 0;
    };
    // Two runs that came to the same.
    struct MetAgain {
        std::vector<Action> first;
        std::vector<Action> then;
    };

    // A round begins: nothing is known; what met again stays.
    void clear();
    // It was gone on from with no less left. Else it is known from now on. `path`: how it was come
    // to.
    [[nodiscard]] bool was_seen(std::string key, const Left& left, const std::vector<Action>& path);
    [[nodiscard]] std::uint64_t size() const { return seen_.size(); }
    [[nodiscard]] const std::vector<MetAgain>& met_again() const { return met_again_; }

  private:
    void note_first(const std::string& key, const std::vector<Action>& path);
    void note_again(const std::string& key, const std::vector<Action>& path);

    std::unordered_map<std::string, Left> seen_;
    std::uint64_t seen_bytes_ = 0;
    // By the hash of the key: how it was first come to.
    std::unordered_map<std::size_t, std::vector<Action>> first_paths_;
    std::uint64_t path_bytes_ = 0;
    std::uint64_t cuts_ = 0;
    std::vector<MetAgain> met_again_;
};

}  // namespace lockkeeper
