// SPDX-License-Identifier: Apache-2.0

// A lease with a time to live, where clocks may be wrong.
//
//   acquire {ttl: T}   no lease of another runs. It runs from the moment at which the acquire
//                      happened, also where the caller has one already.
//   renew {ttl: T}     the caller's lease has not been taken over; it runs from now, be that
//                      shorter than before or longer.
//   release            the same; it ends.
//   exit               the process is gone, its lease ends then or later.
//   write              always; see the ladder's `fenced`. With writes=holder: the caller's lease
//                      may still run.
//   refused acquire    (where refusals are judged) a lease may still run.
//
// A holder can count on its lease for T - error from the moment of the grant: error bounds what the
// clocks of holder, server and recorder can differ by in that time. So it may run, for others, for
// two errors more. A lease that has run out is there until somebody takes over: renewing it is
// correct until then.
//
// Every operation happens at some time between its invocation and its return. All conditions but
// one are of the form "not before", so the earliest possible time is always the best choice, and
// the search has to look at no other. A refusal is the exception, and so is an effect that is
// judged: the lease must still run then. It moves the grant to as late as is needed and no later;
// how late it can have been is kept.
//
//   fenced-lease       a lease whose grants have tokens: acquire -> {token: t}, t above every token
//                      before, or that of the caller's own lease; write {token: t} as for
//                      fenced-mutex.
#pragma once

#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {

class LeaseModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override {
        return has_tokens() ? ValueMeaning::kToken : ValueMeaning::kTtl;
    }
    [[nodiscard]] bool knows(LockCode code) const override { return !is_of_pools(code); }
    [[nodiscard]] bool knows_time() const override { return true; }
    [[nodiscard]] bool has_tokens() const override {
        return choice().kind == ModelKind::kFencedLease;
    }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] StepResult refuse(LockState& state,
                                    const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;

    [[nodiscard]] std::int64_t length_of(const LockOperation& operation) const override;
    [[nodiscard]] bool is_felt(const LockState& before, const LockState& after,
                               const LockOperation& operation) const override;

  private:
    [[nodiscard]] StepResult start(LockState& state, const LockOperation& operation,
                                   bool is_held) const;
    [[nodiscard]] bool acquire_token(LockState& state, std::int64_t token, bool is_held) const;
    static void end(LockState& state, std::size_t own);
    [[nodiscard]] bool bounds_grants() const {
        return choice().judges_refusals || choice().judges_effects;
    }
    [[nodiscard]] bool still_runs(const LockState& state, Hold& lease) const;
    [[nodiscard]] std::string uncovered_text(const LockState& state, const LockOperation& effect,
                                             std::int64_t now) const;
    // Later operations bound how late the grant can have been.
    void bound_grant(LockState& state, const LockOperation& operation) const;
    // The moment from which on no more than slack leases of others run.
    [[nodiscard]] std::int64_t free_from(const LockState& state, std::uint32_t owner) const;
};

}  // namespace lockkeeper
