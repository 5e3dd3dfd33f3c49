// SPDX-License-Identifier: Apache-2.0

// No lock at all: acquire -> {token: t} with t above every token before, and write {token: t} only
// where t was granted before and no effect with a higher token came before.
#include "validate/histories/models/tokens.hpp"
#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {
namespace {

class FencedResourceModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override {
        return choice().has_bare_tokens ? ValueMeaning::kToken : ValueMeaning::kNothing;
    }
    [[nodiscard]] bool knows(LockCode code) const override { return !is_of_pools(code); }
    [[nodiscard]] bool knows_owners() const override { return false; }
    [[nodiscard]] bool has_tokens() const override { return true; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override {
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
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override {
        return operation.code == LockCode::kAcquire ? grant_refusal(state)
                                                    : effect_refusal(state, operation);
    }
    [[nodiscard]] bool counts_against(const LockOperation&, const LockOperation&) const override {
        return false;
    }
};

}  // namespace

// For make_model.
std::unique_ptr<SequentialModel> make_fenced_resource_model(const ModelChoice& choice) {
    return std::make_unique<FencedResourceModel>(choice);
}

}  // namespace lockkeeper
