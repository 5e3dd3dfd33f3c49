// SPDX-License-Identifier: Apache-2.0

// A rung of the ladder: can the history be explained if an acquire that was refused may free what
// another holds? LockFile::Simple 0.208 does it: its acquire takes the lock file of a living holder
// for an old one, removes it, and gets nothing. Whoever comes next is granted, and a search that
// takes a refusal for "nothing happened" blames that grant. This one blames the refused call.
//
// The rule: each refused acquire may free one hold of another owner at some moment of its call, and
// no hold is freed twice. The loser's own release does nothing then. Refusals need no reason here.
// For models in which an owner has one hold of a mode, and only its owner gives it back.
//
// An operation that cannot be placed can only be helped by a refused call that began before it had
// to return. The search tries only such calls, the latest first, and first continues the choices
// that explain more. `violated` therefore means that no choice helps, unless the attempts are used
// up. The reported set need not be the smallest one.
#pragma once

#include <vector>

#include "validate/histories/linearize.hpp"
#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

// The number of searches for one key; a longer history gets fewer.
inline constexpr std::size_t kAttemptsMost = 300;
inline constexpr std::size_t kAttemptsLeast = 10;
inline constexpr std::size_t kAttemptedOperationsMax = 1'000'000;

struct FreedHold {
    std::size_t refused;  // positions in the list's operations
    std::size_t acquired;
};

struct FreedByRefused {
    Verdict verdict = Inconclusive{};
    bool are_attempts_used_up = false;
    std::vector<FreedHold> freed;  // passed: empty where nothing had to be explained so
};

// `list`: with its refused acquires; `model`: one that does not judge refusals.
[[nodiscard]] FreedByRefused explain_by_refused(const KeyOperations& list,
                                                const SequentialModel& model,
                                                const SearchBudget& budget);

}  // namespace lockkeeper
