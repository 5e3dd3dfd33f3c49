#include "histories/models/lease.hpp"

#include <algorithm>

namespace lockkeeper {

std::int64_t LeaseModel::end_of(const LockOperation& operation, std::int64_t now) const {
    const std::int64_t ttl = operation.number == kUnknownNumber ? choice().ttl : operation.number;
    const std::int64_t length = std::max<std::int64_t>(0, ttl - choice().clock_error);
    return now > kForever - length ? kForever : now + length;
}

std::int64_t LeaseModel::free_from(const LockState& state) const {
    std::array<std::int64_t, kHoldsMax> ends{};
    const std::size_t count = state.count();
    const std::size_t spared = static_cast<std::size_t>(slack());
    if (count <= spared) {
        return INT64_MIN;
    }
    std::transform(state.holds.begin(), state.holds.begin() + state.holds_count, ends.begin(),
                   [](const Hold& hold) { return hold.number; });
    const auto sought = ends.begin() + static_cast<std::ptrdiff_t>(count - 1 - spared);
    std::nth_element(ends.begin(), sought, ends.begin() + static_cast<std::ptrdiff_t>(count));
    return *sought;
}

StepResult LeaseModel::acquire(LockState& state, const LockOperation& operation) const {
    const std::size_t own = state.place_of(operation.owner, 0);
    std::int64_t now = std::max(state.units, free_from(state));
    if (state.has(own, operation.owner, 0)) {
        now = std::max(now, state.holds[own].number);
    }
    if (now > operation.latest) {
        return StepResult::kImpossible;
    }
    state.units = now;
    for (std::size_t i = state.count(); i-- > 0;) {
        if (state.holds[i].number <= now) {
            state.erase(i);
        }
    }
    Hold hold;
    hold.owner = operation.owner;
    hold.count = 1;
    hold.number = end_of(operation, now);
    return state.insert(state.place_of(operation.owner, 0), hold) ? StepResult::kDone
                                                                  : StepResult::kNoRoom;
}

StepResult LeaseModel::step(LockState& state, const LockOperation& operation) const {
    state.units = std::max(state.units, operation.earliest);
    if (state.units > operation.latest) {
        return StepResult::kImpossible;
    }
    if (operation.code == LockCode::kAcquire) {
        return acquire(state, operation);
    }
    if (operation.code == LockCode::kWrite) {
        return StepResult::kDone;
    }
    const std::size_t own = state.place_of(operation.owner, 0);
    const bool holds = state.has(own, operation.owner, 0);
    if (operation.code == LockCode::kExit) {
        if (holds) {
            state.erase(own);
        }
        return StepResult::kDone;
    }
    if (!holds) {
        return StepResult::kImpossible;
    }
    if (operation.code == LockCode::kRenew) {
        state.holds[own].number = std::max(state.holds[own].number, end_of(operation, state.units));
    } else {
        state.erase(own);
    }
    return StepResult::kDone;
}

std::string LeaseModel::refusal(const LockState& state, const LockOperation& operation) const {
    const std::int64_t now = std::max(state.units, operation.earliest);
    if (now > operation.latest) {
        return "what came before cannot have happened before time " + std::to_string(now);
    }
    if (operation.code != LockCode::kAcquire) {
        return "the caller's lease is not there any more";
    }
    const std::size_t own = state.place_of(operation.owner, 0);
    std::int64_t free = free_from(state);
    if (state.has(own, operation.owner, 0)) {
        free = std::max(free, state.holds[own].number);
    }
    return "another lease runs until time " + std::to_string(free) +
           ", and the acquire returned at " + std::to_string(operation.latest);
}

StepResult FencedResourceModel::step(LockState& state, const LockOperation& operation) const {
    if (operation.number == kUnknownNumber) {
        state.last_token += operation.code == LockCode::kAcquire ? 1 : 0;
        return StepResult::kDone;
    }
    if (operation.code == LockCode::kAcquire) {
        const bool is_higher =
            operation.number > state.last_token - (choice().has_repeated_tokens ? 1 : 0);
        state.last_token = operation.number;
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
               ? "the token " + std::to_string(state.last_token) + " was granted before"
               : "an effect with the higher token " + std::to_string(state.top_write) +
                     " was taken before";
}

}  // namespace lockkeeper
