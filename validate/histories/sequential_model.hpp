// SPDX-License-Identifier: Apache-2.0

// A sequential specification: what a correct lock may answer when operations come one at a time.
// One small class a model in histories/models/, made by make_model; the search calls `step`, the
// reader of operations asks what they mean, reports ask `refusal`. To add one: histories/models/
// and a row in model_choice.cpp.
//
// `step` works on a state of which only the first `state_bytes` matter, and leaves rubbish behind
// when it says no. Models do not change; several threads may use one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "validate/histories/lock_operation.hpp"
#include "validate/histories/lock_state.hpp"
#include "validate/histories/model_choice.hpp"

namespace lockkeeper {

// The meaning of an operation's value ("3", "write"); a bare value is no kOwner.
enum class ValueMeaning : std::uint8_t {
    kNothing,
    kToken,
    kPermits,
    kCapacity,
    kTtl,
    kTag,
    kMode,
    kOwner,
    kTimeout,
    kConnection,
};

enum class StepResult : std::uint8_t {
    kDone,
    kImpossible,  // a correct lock would not have done that
    kNoRoom,      // more than kHoldsMax hold at once: the search cannot go on
};

class SequentialModel {
  public:
    explicit SequentialModel(const ModelChoice& choice) : choice_(choice) {}
    SequentialModel(const SequentialModel&) = delete;
    SequentialModel& operator=(const SequentialModel&) = delete;
    virtual ~SequentialModel() = default;

    [[nodiscard]] const ModelChoice& choice() const { return choice_; }

    [[nodiscard]] virtual ValueMeaning bare_value() const { return ValueMeaning::kNothing; }
    [[nodiscard]] virtual bool knows(LockCode code) const {
        return code != LockCode::kRenew && !is_of_pools(code);
    }
    // Operations of different owners differ in what they do.
    [[nodiscard]] virtual bool knows_owners() const { return true; }
    // Numbers are tokens, which rise from operation to operation: a good guess is the least first.
    [[nodiscard]] virtual bool has_tokens() const { return false; }
    // The times of the operations matter.
    [[nodiscard]] virtual bool knows_time() const { return false; }

    [[nodiscard]] virtual StepResult step(LockState& state,
                                          const LockOperation& operation) const = 0;
    // An acquire that was refused, where refusals are judged: kDone if it had a reason.
    [[nodiscard]] virtual StepResult refuse(LockState& state,
                                            const LockOperation& operation) const {
        LockState tried = state;
        const StepResult result = step(tried, operation);
        return result == StepResult::kImpossible ? StepResult::kDone
               : result == StepResult::kDone     ? StepResult::kImpossible
                                                 : result;
    }
    // Why the operation is impossible in this state.
    [[nodiscard]] virtual std::string refusal(const LockState& state,
                                              const LockOperation& operation) const = 0;

    // For a lease: how long it excludes others.
    [[nodiscard]] virtual std::int64_t length_of(const LockOperation& /*operation*/) const {
        return 0;
    }
    // An operation without a known end that leads from `before` to `after` makes something possible
    // that was not. If it does not, the search need not place it there. Called only where the list
    // has no refusals.
    [[nodiscard]] virtual bool is_felt(const LockState& before, const LockState& after,
                                       const LockOperation& operation) const;

    // For the ladder, which looks at holds as intervals: how many units may be held while
    // `wanted` is held too (it counts itself), and whether `held` counts against it.
    [[nodiscard]] virtual std::int64_t limit_of(const LockOperation& /*wanted*/) const { return 1; }
    [[nodiscard]] virtual bool counts_against(const LockOperation& held,
                                              const LockOperation& wanted) const {
        return held.owner != wanted.owner;
    }

  protected:
    [[nodiscard]] std::int64_t slack() const { return choice_.slack; }

  private:
    ModelChoice choice_;
};

[[nodiscard]] std::unique_ptr<SequentialModel> make_model(const ModelChoice& choice);

}  // namespace lockkeeper
