// SPDX-License-Identifier: Apache-2.0

// Searches for an order in which the reference, taking one whole call after the other, answers as
// the candidate did. Used by against.cpp only.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "validate/compare/against.hpp"

namespace lockkeeper::against {

class CallOrderSearch {
  public:
    struct Compares {
        bool counts = false;
        bool units = false;  // of both at rest
        bool left = false;   // what a program leaves at the end with what the reference does
    };

    // By the number of resizes that have happened.
    CallOrderSearch(const std::vector<ErasedSystem>& by_resizes, Compares compares)
        : by_resizes_(by_resizes), reference_(by_resizes.front()), compares_(compares) {}

    [[nodiscard]] Explanation explain(const ObservedRun& observed);

  private:
    // Calls come first in a Mask, then deaths.
    static constexpr std::size_t kPlacedMax = 64;
    static constexpr std::uint64_t kOrdersMax = 20'000;
    using State = ErasedSystem::State;
    using Mask = std::uint64_t;

    // One whole call, and what the background has to do after it.
    struct Answered {
        bool returned = false;
        Verb verb = Verb::kAcquire;
        std::uint8_t key = 0;
        Answer answer;
    };
    [[nodiscard]] Answered call(State& state, std::uint8_t caller, std::size_t resizes) const;

    bool place_next(const State& state, Mask placed, std::size_t depth);
    bool place_call(const State& state, Mask placed, std::size_t depth, std::size_t index);
    bool place_death(const State& state, Mask placed, std::size_t depth, std::size_t index);
    bool clean_up(const State& state, Mask placed, std::size_t depth);
    [[nodiscard]] bool is_placed(std::size_t index, Mask placed) const {
        return (placed >> index & 1U) != 0;
    }
    [[nodiscard]] bool is_all_placed(Mask placed) const;
    [[nodiscard]] bool may_be_next(std::size_t index, std::size_t began, Mask placed) const;
    [[nodiscard]] bool ends_well(const State& state, Mask placed);
    [[nodiscard]] bool units_agree(const State& state);
    [[nodiscard]] bool left_agrees(const State& state);
    [[nodiscard]] bool is_stuck_too(const State& state, Mask placed);
    bool disagree_at_end(const std::string& expected);
    void remember(std::size_t depth, std::size_t index, Difference difference,
                  const std::string& expected);

    const std::vector<ErasedSystem>& by_resizes_;
    const ErasedSystem& reference_;
    Compares compares_;
    const ObservedRun* observed_ = nullptr;
    std::unordered_set<std::string> seen_;
    std::uint64_t orders_ = 0;
    Explanation deepest_;
};

}  // namespace lockkeeper::against
