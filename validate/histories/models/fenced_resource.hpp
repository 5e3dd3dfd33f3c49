// SPDX-License-Identifier: Apache-2.0

// No lock at all: acquire -> {token: t} with t above every token before, and write {token: t} only
// where t was granted before and no effect with a higher token came before.
#pragma once

#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {

class FencedResourceModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override {
        return choice().has_bare_tokens ? ValueMeaning::kToken : ValueMeaning::kNothing;
    }
    [[nodiscard]] bool knows(LockCode /*code*/) const override { return true; }
    [[nodiscard]] bool knows_owners() const override { return false; }
    [[nodiscard]] bool has_tokens() const override { return true; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;
    [[nodiscard]] bool counts_against(const LockOperation&, const LockOperation&) const override {
        return false;
    }
};

}  // namespace lockkeeper
