// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/models/counting.hpp"

#include <algorithm>

namespace lockkeeper {

ValueMeaning CountingModel::bare_value() const {
    switch (choice().kind) {
        case ModelKind::kSemaphore: return ValueMeaning::kPermits;
        case ModelKind::kResizableSemaphore: return ValueMeaning::kCapacity;
        default: return ValueMeaning::kNothing;
    }
}

std::int64_t CountingModel::limit_of(const LockOperation& wanted) const {
    switch (choice().kind) {
        case ModelKind::kSemaphore: return choice().permits;
        case ModelKind::kResizableSemaphore: return wanted.number;
        default: return 1;
    }
}

StepResult CountingModel::step(LockState& state, const LockOperation& operation) const {
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

StepResult CountingModel::refuse(LockState& state, const LockOperation& operation) const {
    const std::int64_t too_many = limit_of(operation) + slack() - operation.amount + 1;
    state.units_least = std::max(state.units_least, too_many);
    return state.units >= too_many ? StepResult::kDone : StepResult::kImpossible;
}

std::string CountingModel::refusal(const LockState& state, const LockOperation& operation) const {
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

}  // namespace lockkeeper
