#include "histories/models/lease.hpp"

#include <algorithm>

namespace lockkeeper {

std::int64_t LeaseModel::end_of(const LockOperation& operation, std::int64_t now) const {
    const std::int64_t ttl = operation.number == kUnknownNumber ? choice().ttl : operation.number;
    const std::int64_t length = std::max<std::int64_t>(0, ttl - choice().clock_error);
    return now > kForever - length ? kForever : now + length;
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

// The caller's lease runs from now on. Who has run out is taken over and forgotten, unless leases
// may overlap (the ladder): then nobody takes over from anybody.
StepResult LeaseModel::start(LockState& state, const LockOperation& operation, bool is_held) const {
    std::int64_t now = std::max(state.units, free_from(state, operation.owner));
    std::size_t own = state.place_of(operation.owner, 0);
    if (is_held && operation.code == LockCode::kAcquire) {
        now = std::max(now, state.holds[own].number);
    }
    if (now > operation.latest) {
        return StepResult::kImpossible;
    }
    state.units = now;
    for (std::size_t i = state.count(); slack() == 0 && i-- > 0;) {
        if (state.holds[i].owner != operation.owner) {
            state.erase(i);
        }
    }
    own = state.place_of(operation.owner, 0);
    if (!is_held) {
        Hold hold;
        hold.owner = operation.owner;
        hold.count = 1;
        if (!state.insert(own, hold)) {
            return StepResult::kNoRoom;
        }
    }
    state.holds[own].number = std::max(state.holds[own].number, end_of(operation, now));
    return StepResult::kDone;
}

StepResult LeaseModel::step(LockState& state, const LockOperation& operation) const {
    state.units = std::max(state.units, operation.earliest);
    if (state.units > operation.latest) {
        return StepResult::kImpossible;
    }
    if (operation.code == LockCode::kWrite) {
        return StepResult::kDone;
    }
    const std::size_t own = state.place_of(operation.owner, 0);
    const bool holds = state.has(own, operation.owner, 0);
    if (operation.code == LockCode::kAcquire || (operation.code == LockCode::kRenew && holds)) {
        return start(state, operation, holds);
    }
    if (operation.code == LockCode::kExit) {
        if (holds) {
            state.erase(own);
        }
        return StepResult::kDone;
    }
    if (!holds) {
        return StepResult::kImpossible;
    }
    state.erase(own);
    return StepResult::kDone;
}

std::string LeaseModel::refusal(const LockState& state, const LockOperation& operation) const {
    const std::int64_t now = std::max(state.units, operation.earliest);
    if (now > operation.latest) {
        return "what came before cannot have happened before time " + std::to_string(now);
    }
    if (operation.code != LockCode::kAcquire &&
        !state.has(state.place_of(operation.owner, 0), operation.owner, 0)) {
        return "the caller's lease is not there any more";
    }
    const std::size_t own = state.place_of(operation.owner, 0);
    std::int64_t free = free_from(state, operation.owner);
    if (operation.code == LockCode::kAcquire && state.has(own, operation.owner, 0)) {
        free = std::max(free, state.holds[own].number);
    }
    return "another lease runs until time " + std::to_string(free) + ", and the call returned at " +
           std::to_string(operation.latest);
}

StepResult FencedResourceModel::step(LockState& state, const LockOperation& operation) const {
    if (operation.number == kUnknownNumber) {
        // It may be one more acquire of the hold whose token is known.
        const bool is_new = operation.code == LockCode::kAcquire && !choice().has_repeated_tokens;
        state.next_token += is_new ? 1 : 0;
        return StepResult::kDone;
    }
    if (operation.code == LockCode::kAcquire) {
        const bool is_higher =
            operation.number >= state.next_token - (choice().has_repeated_tokens ? 1 : 0);
        state.next_token = operation.number + 1;
        return is_higher ? StepResult::kDone : StepResult::kImpossible;
    }
    if (operation.code == LockCode::kWrite) {
        const bool is_stale = operation.number < state.top_write;
        state.top_write = operation.number;
        return is_stale ? StepResult::kImpossible : StepResult::kDone;
    }
    return StepResult::kDone;
}

std::string FencedResourceModel::refusal(const LockState& state,
                                         const LockOperation& operation) const {
    return operation.code == LockCode::kAcquire
               ? "the token " + std::to_string(state.next_token - 1) + " was granted before"
               : "an effect with the higher token " + std::to_string(state.top_write) +
                     " was taken before";
}

}  // namespace lockkeeper
