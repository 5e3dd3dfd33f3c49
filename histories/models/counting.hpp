// Locks that only count: anybody's release gives back.
//
//   mutex                acquire: held by nobody. release: held. (Knossos' `mutex`)
//   semaphore            acquire {permits: n}: n more are free. release {permits: n}: n are held.
//   resizable-semaphore  acquire {capacity: C}, or {max_per: m, buckets: b} with C = m * b: the
//                        caller's own view; fewer than C are held. release: one is held.
//   write (all)          always; see the ladder's `fenced`.
//
// Known limit: who releases is not looked at; take owner-aware-mutex where that matters.
#pragma once

#include "histories/sequential_model.hpp"

namespace lockkeeper {

class CountingModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override;
    [[nodiscard]] bool knows(LockCode code) const override;
    [[nodiscard]] bool knows_owners() const override { return false; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;
    [[nodiscard]] std::int64_t limit_of(const LockOperation& wanted) const override;
    [[nodiscard]] bool counts_against(const LockOperation&, const LockOperation&) const override {
        return true;
    }
};

}  // namespace lockkeeper
