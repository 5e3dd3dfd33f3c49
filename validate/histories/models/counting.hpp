// SPDX-License-Identifier: Apache-2.0

// Locks that only count: anybody's release gives back.
//
//   mutex                acquire: held by nobody. release: held. (Knossos' `mutex`)
//   semaphore            acquire {permits: n}: n more are free. release {permits: n}: n are held.
//   resizable-semaphore  acquire {capacity: C}, or {max_per: m, buckets: b} with C = m * b: the
//                        caller's own view; fewer than C are held. release: one is held.
//   exit (all)           gives back from nothing to `amount`: all that the process can have held.
//   write (all)          always; see the ladder's `fenced`.
//
// After an exit it is not known how many are held. The numbers that are possible have no gap, and
// no operation makes one: the state is the least and the most of them, and the search has no choice
// to try. Later operations tell which it was: a grant shows that there was room, a refusal that
// there was none.
//
// Known limit: the model ignores who releases. If another process has released a process's hold,
// the exit of that process frees whoever holds then. Use owner-aware-mutex where that matters.
#pragma once

#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {

class CountingModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override;
    [[nodiscard]] bool knows_owners() const override { return false; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] StepResult refuse(LockState& state,
                                    const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;
    [[nodiscard]] std::int64_t limit_of(const LockOperation& wanted) const override;
    [[nodiscard]] bool counts_against(const LockOperation&, const LockOperation&) const override {
        return true;
    }
};

}  // namespace lockkeeper
