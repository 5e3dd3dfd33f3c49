// SPDX-License-Identifier: Apache-2.0

// refusals=fair: an acquire may be refused because another waits in front of it, although there is
// room: a reader behind a waiting writer, one permit behind a caller who waits for two. Called by
// the search, by its explanation and by the ladder.
//
// A waiter has called and has not been granted at that moment. The refused acquire would keep it
// from the lock. The waiter itself must have no room then: two callers of a free lock do not excuse
// each other. How its call ends does not matter. If two calls overlap, either may have come first.
//
// A caller that already holds a re-entrant lock in the mode it asks for passes all who wait:
// PostgreSQL 15 grants a reader its further shared lock in front of a waiting writer, and so do
// fair locks that count their holders. Another mode, such as writing after reading, is no further
// hold.
#pragma once

#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

// `waiter` is open and not placed.
[[nodiscard]] inline bool would_be_kept_out(const SequentialModel& model,
                                            const LockOperation& waiter,
                                            const LockOperation& refused) {
    return waiter.code == LockCode::kAcquire && model.counts_against(refused, waiter);
}

// The waiter has no room in this state, of which that may say more. Its token, which it will get
// later, is no reason.
[[nodiscard]] inline bool has_no_room(const SequentialModel& model, LockOperation waiter,
                                      LockState& state) {
    waiter.number = model.has_tokens() ? kUnknownNumber : waiter.number;
    return model.refuse(state, waiter) == StepResult::kDone;
}

[[nodiscard]] inline bool passes_waiters(const SequentialModel& model, const LockState& state,
                                         const LockOperation& refused) {
    return is_reentrant(model.choice().kind) &&
           state.has(state.place_of(refused.owner, refused.mode), refused.owner, refused.mode);
}

// Keeps, of all states in which a refusal had a reason, the one that says least about what is held:
// it allows whatever the others do.
struct LeastReason {
    bool is_found = false;
    LockState state{};

    void add(const LockState& one) {
        if (!is_found || one.units_least < state.units_least) {
            state = one;
        }
        is_found = true;
    }
};

}  // namespace lockkeeper
