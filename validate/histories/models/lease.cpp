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
#include <algorithm>

#include "validate/histories/models/tokens.hpp"
#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {
namespace {

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
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override {
        state.units = std::max(state.units, operation.earliest);
        if (state.units > operation.latest) {
            return StepResult::kImpossible;
        }
        bound_grant(state, operation);
        const std::size_t own = state.place_of(operation.owner, 0);
        const bool holds = state.has(own, operation.owner, 0);
        if (operation.code == LockCode::kWrite) {
            const bool is_right =
                (!choice().judges_effects || (holds && still_runs(state, state.holds[own]))) &&
                (!has_tokens() || take_effect(state, operation));
            return is_right ? StepResult::kDone : StepResult::kImpossible;
        }
        if (operation.code == LockCode::kAcquire || (operation.code == LockCode::kRenew && holds)) {
            return start(state, operation, holds);
        }
        if (holds) {
            end(state, own);
            return StepResult::kDone;
        }
        return operation.code == LockCode::kExit ? StepResult::kDone : StepResult::kImpossible;
    }
    [[nodiscard]] StepResult refuse(LockState& state,
                                    const LockOperation& operation) const override {
        state.units = std::max(state.units, operation.earliest);
        if (state.units > operation.latest || state.holds_count == 0) {
            return StepResult::kImpossible;
        }
        bound_grant(state, operation);
        // Refusals are judged without slack: there is one lease.
        return still_runs(state, state.holds[0]) ? StepResult::kDone : StepResult::kImpossible;
    }
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override {
        const std::int64_t now = std::max(state.units, operation.earliest);
        if (now > operation.latest) {
            return "what came before cannot have happened before time " +
                   choice().times.text_of(now);
        }
        const std::size_t own = state.place_of(operation.owner, 0);
        const bool holds = state.has(own, operation.owner, 0);
        if (operation.code == LockCode::kWrite) {
            return choice().judges_effects ? uncovered_text(state, operation, now)
                                           : effect_refusal(state, operation);
        }
        if (operation.code != LockCode::kAcquire && !holds) {
            return "the caller's lease is not there any more";
        }
        const std::int64_t free = free_from(state, operation.owner);
        if (free <= operation.latest) {
            return grant_refusal(state);
        }
        return "another lease runs until time " + choice().times.text_of(free) +
               ", and the call returned at " + choice().times.text_of(operation.latest);
    }

    [[nodiscard]] std::int64_t length_of(const LockOperation& operation) const override {
        const std::int64_t ttl = operation.ttl == kUnknownNumber ? choice().ttl : operation.ttl;
        return std::max<std::int64_t>(0, ttl - choice().clock_error);
    }
    // The clock of a state only forbids. A renewal frees nobody unless it shortens the lease, and a
    // longer lease helps its owner's effects alone.
    [[nodiscard]] bool is_felt(const LockState& before, const LockState& after,
                               const LockOperation& operation) const override {
        if (operation.code != LockCode::kRenew) {
            return operation.code == LockCode::kAcquire || before.holds_count != after.holds_count;
        }
        const std::size_t was = before.place_of(operation.owner, 0);
        const std::size_t is = after.place_of(operation.owner, 0);
        return choice().judges_effects || after.holds[is].number < before.holds[was].number;
    }

  private:
    // The caller's lease runs from now on. It replaces leases that have run out, unless leases may
    // overlap (the ladder): then nobody takes over from anybody.
    [[nodiscard]] StepResult start(LockState& state, const LockOperation& operation,
                                   bool is_held) const {
        state.units = std::max(state.units, free_from(state, operation.owner));
        const bool is_right =
            operation.code != LockCode::kAcquire || acquire_token(state, operation.number, is_held);
        if (state.units > operation.latest || !is_right) {
            return StepResult::kImpossible;
        }
        for (std::size_t i = state.count(); slack() == 0 && i-- > 0;) {
            if (state.holds[i].owner != operation.owner) {
                state.erase(i);
            }
        }
        const std::size_t own = state.place_of(operation.owner, 0);
        if (!is_held) {
            Hold hold;
            hold.owner = operation.owner;
            hold.count = 1;
            if (!state.insert(own, hold)) {
                return StepResult::kNoRoom;
            }
        }
        const std::int64_t length = length_of(operation);
        state.holds[own].number = state.units > kForever - length ? kForever : state.units + length;
        if (bounds_grants()) {
            state.units_least = operation.latest;
            state.lease_length = length;
        }
        return StepResult::kDone;
    }
    // A caller whose lease has not been taken over may get the token that it has.
    [[nodiscard]] bool acquire_token(LockState& state, std::int64_t token, bool is_held) const {
        if (!has_tokens()) {
            return true;
        }
        if (!is_held || token >= state.next_token) {
            return take_token(state, token);
        }
        if (!says_token(token)) {
            state.tokens_unsaid = kUnsaidSince;
            return true;
        }
        if (token != state.next_token - 1) {
            return false;
        }
        say_token(state, token);
        return true;
    }
    static void end(LockState& state, std::size_t own) {
        state.erase(own);
        state.units_least = 0;
        state.lease_length = 0;
    }
    [[nodiscard]] bool bounds_grants() const {
        return choice().judges_refusals || choice().judges_effects;
    }
    // Whether the lease may still run now: moves its grant to as late as is needed for that.
    [[nodiscard]] bool still_runs(const LockState& state, Hold& lease) const {
        const std::int64_t needed = state.units - 2 * choice().clock_error;
        if (lease.number >= needed) {
            return true;
        }
        lease.number = needed;
        return needed - state.lease_length <= state.units_least;
    }
    [[nodiscard]] std::string uncovered_text(const LockState& state, const LockOperation& effect,
                                             std::int64_t now) const {
        const std::size_t own = state.place_of(effect.owner, 0);
        if (!state.has(own, effect.owner, 0)) {
            return "an effect of a caller that has no lease";
        }
        LockState then = state;
        then.units = now;
        bound_grant(then, effect);
        if (still_runs(then, then.holds[own])) {
            return effect_refusal(state, effect);
        }
        const std::int64_t end = then.units_least + then.lease_length + 2 * choice().clock_error;
        return "an effect at time " + choice().times.text_of(now) +
               " or later, and the caller's lease had ended at " + choice().times.text_of(end) +
               " at the latest";
    }
    // Later operations bound how late the grant can have been.
    void bound_grant(LockState& state, const LockOperation& operation) const {
        if (bounds_grants() && state.holds_count > 0) {
            state.units_least = std::min(state.units_least, operation.latest);
        }
    }
    // The moment from which on no more than slack leases of others run.
    [[nodiscard]] std::int64_t free_from(const LockState& state, std::uint32_t owner) const {
        std::array<std::int64_t, kHoldsMax> ends{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < state.count(); ++i) {
            if (state.holds[i].owner != owner) {
                ends[count++] = state.holds[i].number;
            }
        }
        const auto spared = static_cast<std::size_t>(slack());
        if (count <= spared) {
            return INT64_MIN;
        }
        const auto sought = ends.begin() + static_cast<std::ptrdiff_t>(count - 1 - spared);
        std::nth_element(ends.begin(), sought, ends.begin() + static_cast<std::ptrdiff_t>(count));
        return *sought;
    }
};

}  // namespace

// For make_model.
std::unique_ptr<SequentialModel> make_lease_model(const ModelChoice& choice) {
    return std::make_unique<LeaseModel>(choice);
}

}  // namespace lockkeeper
