// SPDX-License-Identifier: Apache-2.0

// A pool of so many connections, as its callers see it. Made by make_model for `pool:N`.
//
//   acquire {connection}   fewer than N are lent, the pool is not shut down, the acquire is not
//                          cancelled, the connection is not lent and was never destroyed
//   release {connection}   it is lent
//   destroy {connection}   leaves its place to a new one; one with a name may be idle
//   cancel {client}        that caller's acquires, which are open, get nothing (bind_cancels)
//   open                   an acquire that ends with nothing takes a place (add_openings)
//   close                  nothing is lent from now on, and whoever waits is refused
//   a refused acquire      N are lent, or the pool is shut down, or it was cancelled, or its caller
//                          gave up; at the end of the record a caller waits only while N are lent
//
// Where no connection is named the model counts. Anybody may release: callers hand connections on.
// An acquire without a known end may have got a connection that nobody knows: it stands behind any
// name in a release or destroy.
//
// State: `units` are lent. Marks among the holds say which: (number, kLent), (number, kDestroyed)
// where it is lent later all the same, (caller, kGone), (0, kShut), (number of the acquire,
// kOpening).
#pragma once

#include "validate/histories/read_operations.hpp"
#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {

class PoolModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] bool knows(LockCode code) const override;
    [[nodiscard]] bool knows_owners() const override { return false; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] StepResult refuse(LockState& state,
                                    const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;
    [[nodiscard]] std::int64_t limit_of(const LockOperation& /*wanted*/) const override {
        return choice().permits;
    }
    [[nodiscard]] bool counts_against(const LockOperation&, const LockOperation&) const override {
        return true;
    }

  private:
    [[nodiscard]] bool is_full(const LockState& state) const;
    [[nodiscard]] StepResult lend(LockState& state, const LockOperation& operation) const;
    [[nodiscard]] StepResult open(LockState& state, const LockOperation& operation) const;
};

// Marks the destroyed connections that are lent later all the same, so that the others need no
// place in the state.
void mark_lent_again(KeyOperations& list);
// The most marks that a state can have for these operations.
[[nodiscard]] std::size_t pool_marks_max(const KeyOperations& list);

}  // namespace lockkeeper
