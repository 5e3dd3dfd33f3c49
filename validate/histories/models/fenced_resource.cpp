// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/models/fenced_resource.hpp"

#include "validate/histories/models/tokens.hpp"

namespace lockkeeper {

StepResult FencedResourceModel::step(LockState& state, const LockOperation& operation) const {
    bool is_right = true;
    if (operation.code == LockCode::kWrite) {
        is_right = take_effect(state, operation);
    } else if (operation.code == LockCode::kAcquire) {
        const bool may_be_old = choice().has_repeated_tokens;
        if (may_be_old && !says_token(operation.number)) {
            // It may be one more acquire of the hold whose token is known.
            state.tokens_unsaid = kUnsaidSince;
        } else if (may_be_old && operation.number == state.next_token - 1) {
            say_token(state, operation.number);
        } else {
            is_right = take_token(state, operation.number);
        }
    }
    return is_right ? StepResult::kDone : StepResult::kImpossible;
}

std::string FencedResourceModel::refusal(const LockState& state,
                                         const LockOperation& operation) const {
    return operation.code == LockCode::kAcquire ? grant_refusal(state)
                                                : effect_refusal(state, operation);
}

}  // namespace lockkeeper
