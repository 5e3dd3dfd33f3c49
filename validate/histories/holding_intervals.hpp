// SPDX-License-Identifier: Apache-2.0

// Finds from when to when each owner holds, without a search: for certain (from the return of an
// acquire to the invocation that ends it), and possibly (from the invocation of the acquire to the
// return that ends it). Answers "how many", "for how long" and "refused for nothing" for the
// ladder, which calls it with the operations of one key, refused acquires among them.
//
// In a history whose releases are those of the holders, the certain intervals are themselves a
// possible explanation; where every hold counts against every other, the one with the smallest
// excess. Where a mutex or semaphore is
// released by another process, the intervals are a guess.
// An empty answer: the budget was used up. Sums of amounts do not overflow: read_operations bounds
// the permits of an operation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "validate/histories/linearize.hpp"
#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

// Positions of records, from (included) to (excluded).
struct Span {
    std::size_t from = kNeverCompleted;
    std::size_t to = kNeverCompleted;
};

struct Holding {
    LockOperation acquired;
    std::uint32_t owner = 0;
    Span certain;  // from == kNeverCompleted: never for certain
    Span possible;
    std::int64_t ends_at = kForever;  // leases: it counts no longer from then on
};

struct Holdings {
    std::vector<Holding> all;
    // Somebody gave back what somebody else held, or nobody: the intervals are a guess.
    bool has_foreign_release = false;
};
[[nodiscard]] std::optional<Holdings> holdings_of(const KeyOperations& list,
                                                  const SequentialModel& model,
                                                  const SearchBudget& budget);

struct Excess {
    std::int64_t most = 0;     // units too many at once
    std::int64_t longest = 0;  // without a gap, in the history's time; 0 where it has none
};

// When the records were made, where the history says so for all of them.
struct Times {
    std::vector<TimeRange> instants;  // by record; empty: it does not
    std::int64_t end = 0;             // the latest of all
};

// An excess is taken to last from the earliest instant at which it can begin to the latest.
[[nodiscard]] std::optional<Excess> certain_excess(const std::vector<Holding>& holdings,
                                                   const SequentialModel& model, const Times& times,
                                                   const SearchBudget& budget);

struct Refusals {
    std::size_t all = 0;
    std::size_t without_reason = 0;         // whatever the others did meanwhile, there was room
    std::size_t not_recovered = 0;          // of them: so much was never granted again
    std::size_t example = kNeverCompleted;  // invocation of the first of those, or of the others
};
[[nodiscard]] std::optional<Refusals> judge_refusals(const KeyOperations& list,
                                                     const std::vector<Holding>& holdings,
                                                     const SequentialModel& model,
                                                     const SearchBudget& budget);

}  // namespace lockkeeper
