// SPDX-License-Identifier: Apache-2.0

// Can the operations of one key be put in an order that a sequential model allows, such that
// whatever returned before another was invoked comes first? The search of Wing and Gong (1993) with
// Lowe's memoisation (2017), written for speed. Called by check_history once a key.
//
// Operations are placed as late as possible ("just in time"): only when one of them is about to
// return. A configuration is therefore: which return comes next, which of the operations that are
// open then have been placed, and the model's state; each is looked at once. Depth first, so that a
// history that can be explained is explained in about as many configurations as it has operations.
//
//   configuration (r, placed, state): operation o returns next and is not placed
//     --place o--> (r+1, ..), or further, past all that is placed already
//     --place another open operation p--> (r, placed + p, ..)
//
// If several open operations do the same, only the one that returns first is tried: an order that
// uses another can exchange the two.
//
// An operation without a known end is placed only where it can help (open_placement.hpp).
//
// Iterative; memory is bounded by the budget. Exponential in the number of operations open at once
// where nothing can be told apart early: that is what the limits are for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validate/histories/check_history.hpp"
#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

// The time and memory that all searches of one check may use together.
class SearchBudget {
  public:
    explicit SearchBudget(const CheckLimits& limits);

    // Why the search must end now, or null. Looks at the clock: ask it through BudgetedWork.
    [[nodiscard]] const char* ended() const;
    [[nodiscard]] std::uint64_t bytes_max() const { return limits_.bytes_max; }
    [[nodiscard]] double seconds() const;

  private:
    CheckLimits limits_;
    std::chrono::steady_clock::time_point start_;
};

// Counts what is done in pieces that cost about the same, and looks at the budget every so many:
// a loop that spends for each piece ends in time however its pieces are spread over its turns.
class BudgetedWork {
  public:
    explicit BudgetedWork(const SearchBudget& budget) : budget_(budget) {}

    // False: the budget has ended, now or before.
    bool spend(std::uint64_t pieces = 1) {
        done_ += pieces;
        if (done_ >= kPiecesBetweenLooks && limit_ == nullptr) {
            done_ = 0;
            limit_ = budget_.ended();
        }
        return limit_ == nullptr;
    }
    [[nodiscard]] const char* limit() const { return limit_; }

  private:
    static constexpr std::uint64_t kPiecesBetweenLooks = 4096;

    const SearchBudget& budget_;
    std::uint64_t done_ = 0;
    const char* limit_ = nullptr;
};

struct Linearization {
    Verdict verdict = Inconclusive{};
    bool needs_more = false;  // inconclusive only because of `configurations_max`
    std::uint64_t states = 0;
    // Positions in the list of operations: the longest prefix, or all of it.
    std::vector<std::uint32_t> order;
    // Violated: cannot be placed; inconclusive: could not be placed yet.
    std::optional<std::uint32_t> stuck;
    LockState state;  // after `order`
};

// `configurations_max`: 0 is no limit but the budget's. `places_all`: an operation without a known
// end is tried everywhere, also where it cannot help; for tests.
[[nodiscard]] Linearization linearize(const KeyOperations& list, const SequentialModel& model,
                                      const SearchBudget& budget,
                                      std::uint64_t configurations_max = 0,
                                      bool places_all = false);

}  // namespace lockkeeper
