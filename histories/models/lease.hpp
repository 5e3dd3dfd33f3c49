// A lease with a time to live, where clocks may be wrong.
//
//   acquire {ttl: T}   no other lease runs. It runs from the moment at which the acquire happened.
//   renew {ttl: T}     the caller's lease has not been taken over; it runs on from now.
//   release            the same; it ends.
//   exit               the process is gone, its lease ends then or later.
//   write              always; see the ladder's `fenced`.
//
// A holder can count on its lease for T - error from the moment of the grant: error bounds what the
// clocks of holder, server and recorder can differ by in that time. A lease that has run out is
// there until somebody takes over: renewing it is correct until then.
//
// Every operation happens at some time between its invocation and its return. All conditions are
// of the form "not before", so the earliest possible time is always the best choice, and the search
// has to look at no other.
//
//   fenced-resource    no lease at all: acquire -> {token: t} with t above every token before, and
//                      write {token: t} only when no effect with a higher token came before.
#pragma once

#include "histories/sequential_model.hpp"

namespace lockkeeper {

class LeaseModel final : public SequentialModel {
  public:
    using SequentialModel::SequentialModel;

    [[nodiscard]] ValueMeaning bare_value() const override { return ValueMeaning::kTtl; }
    [[nodiscard]] bool knows(LockCode /*code*/) const override { return true; }
    [[nodiscard]] bool knows_time() const override { return true; }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;

    // When a lease that was granted at `now` may be given to others.
    [[nodiscard]] std::int64_t end_of(const LockOperation& operation, std::int64_t now) const;

  private:
    [[nodiscard]] StepResult start(LockState& state, const LockOperation& operation,
                                   bool is_held) const;
    // The moment from which on no more than slack leases of others run.
    [[nodiscard]] std::int64_t free_from(const LockState& state, std::uint32_t owner) const;
};

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
