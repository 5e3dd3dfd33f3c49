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
#include <algorithm>

#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {
namespace {

class CountingModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override {
        switch (choice().kind) {
            case ModelKind::kSemaphore: return ValueMeaning::kPermits;
            case ModelKind::kResizableSemaphore: return ValueMeaning::kCapacity;
            default: return ValueMeaning::kNothing;
        }
    }
    [[nodiscard]] bool knows_owners() const override { return false; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override {
        if (operation.code == LockCode::kWrite) {
            return StepResult::kDone;
        }
        if (operation.code == LockCode::kAcquire) {
            const std::int64_t most = limit_of(operation) + slack();
            state.units = std::min(state.units + operation.amount, most);
            state.units_least += operation.amount;
            return state.units_least <= most ? StepResult::kDone : StepResult::kImpossible;
        }
        state.units_least = std::max<std::int64_t>(0, state.units_least - operation.amount);
        if (operation.code == LockCode::kExit) {
            return StepResult::kDone;
        }
        state.units -= operation.amount;
        return state.units >= 0 ? StepResult::kDone : StepResult::kImpossible;
    }
    [[nodiscard]] StepResult refuse(LockState& state,
                                    const LockOperation& operation) const override {
        const std::int64_t too_many = limit_of(operation) + slack() - operation.amount + 1;
        state.units_least = std::max(state.units_least, too_many);
        return state.units >= too_many ? StepResult::kDone : StepResult::kImpossible;
    }
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override {
        if (operation.code != LockCode::kAcquire) {
            return state.units == 0 ? "nothing is held"
                                    : "only " + std::to_string(state.units) + " held, " +
                                          std::to_string(operation.amount) + " given back";
        }
        const std::string held = std::to_string(state.units_least) + " of " +
                                 std::to_string(limit_of(operation) + slack()) + " held";
        return choice().kind == ModelKind::kMutex && slack() == 0 ? "the mutex is held"
               : operation.amount == 1                            ? held
                                       : held + ", " + std::to_string(operation.amount) + " wanted";
    }
    [[nodiscard]] std::int64_t limit_of(const LockOperation& wanted) const override {
        switch (choice().kind) {
            case ModelKind::kSemaphore: return choice().permits;
            case ModelKind::kResizableSemaphore: return wanted.number;
            default: return 1;
        }
    }
    [[nodiscard]] bool counts_against(const LockOperation&, const LockOperation&) const override {
        return true;
    }
};

}  // namespace

// For make_model.
std::unique_ptr<SequentialModel> make_counting_model(const ModelChoice& choice) {
    return std::make_unique<CountingModel>(choice);
}

}  // namespace lockkeeper
