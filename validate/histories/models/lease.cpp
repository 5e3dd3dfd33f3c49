// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/models/lease.hpp"

#include <algorithm>

#include "validate/histories/models/tokens.hpp"

namespace lockkeeper {

std::int64_t LeaseModel::length_of(const LockOperation& operation) const {
    const std::int64_t ttl = operation.ttl == kUnknownNumber ? choice().ttl : operation.ttl;
    return std::max<std::int64_t>(0, ttl - choice().clock_error);
}

std::int64_t LeaseModel::free_from(const LockState& state, std::uint32_t owner) const {
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

// A caller whose lease has not been taken over may get the token that it has.
bool LeaseModel::acquire_token(LockState& state, std::int64_t token, bool is_held) const {
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

void LeaseModel::end(LockState& state, std::size_t own) {
    state.erase(own);
    state.units_least = 0;
    state.lease_length = 0;
}

void LeaseModel::bound_grant(LockState& state, const LockOperation& operation) const {
    if (bounds_grants() && state.holds_count > 0) {
        state.units_least = std::min(state.units_least, operation.latest);
    }
}

// The caller's lease runs from now on. It replaces leases that have run out, unless leases may
// overlap (the ladder): then nobody takes over from anybody.
StepResult LeaseModel::start(LockState& state, const LockOperation& operation, bool is_held) const {
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

StepResult LeaseModel::step(LockState& state, const LockOperation& operation) const {
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

// The clock of a state only forbids. A renewal frees nobody unless it shortens the lease, and a
// longer lease helps its owner's effects alone.
bool LeaseModel::is_felt(const LockState& before, const LockState& after,
                         const LockOperation& operation) const {
    if (operation.code != LockCode::kRenew) {
        return operation.code == LockCode::kAcquire || before.holds_count != after.holds_count;
    }
    const std::size_t was = before.place_of(operation.owner, 0);
    const std::size_t is = after.place_of(operation.owner, 0);
    return choice().judges_effects || after.holds[is].number < before.holds[was].number;
}

StepResult LeaseModel::refuse(LockState& state, const LockOperation& operation) const {
    state.units = std::max(state.units, operation.earliest);
    if (state.units > operation.latest || state.holds_count == 0) {
        return StepResult::kImpossible;
    }
    bound_grant(state, operation);
    // Refusals are judged without slack: there is one lease.
    return still_runs(state, state.holds[0]) ? StepResult::kDone : StepResult::kImpossible;
}

// Whether the lease may still run now: moves its grant to as late as is needed for that.
bool LeaseModel::still_runs(const LockState& state, Hold& lease) const {
    const std::int64_t needed = state.units - 2 * choice().clock_error;
    if (lease.number >= needed) {
        return true;
    }
    lease.number = needed;
    return needed - state.lease_length <= state.units_least;
}

std::string LeaseModel::uncovered_text(const LockState& state, const LockOperation& effect,
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

std::string LeaseModel::refusal(const LockState& state, const LockOperation& operation) const {
    const std::int64_t now = std::max(state.units, operation.earliest);
    if (now > operation.latest) {
        return "what came before cannot have happened before time " + choice().times.text_of(now);
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

}  // namespace lockkeeper
