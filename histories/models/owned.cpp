#include "histories/models/owned.hpp"

#include <algorithm>

#include "histories/tag_names.hpp"

namespace lockkeeper {

OwnedModel::OwnedModel(const ModelChoice& choice) : SequentialModel(choice) {
    const TagNames names(choice);
    excluded_by_.resize(kTagsMax, 0);
    for (const TagExclusion& exclusion : choice.exclusions) {
        excluded_by_[*names.find(exclusion.wanted)] |= std::uint64_t{1}
                                                       << *names.find(exclusion.held);
    }
}

ValueMeaning OwnedModel::bare_value() const {
    switch (choice().kind) {
        case ModelKind::kFencedMutex:
        case ModelKind::kReentrantFencedMutex: return ValueMeaning::kToken;
        case ModelKind::kReadWriteLock: return ValueMeaning::kMode;
        case ModelKind::kMultiLock: return ValueMeaning::kTag;
        default: return ValueMeaning::kNothing;
    }
}

bool OwnedModel::has_tokens() const {
    return choice().kind == ModelKind::kFencedMutex ||
           choice().kind == ModelKind::kReentrantFencedMutex;
}

bool OwnedModel::knows(LockCode code) const { return code != LockCode::kRenew; }

std::uint32_t OwnedModel::depth_max() const {
    switch (choice().kind) {
        case ModelKind::kReentrantMutex:
        case ModelKind::kReentrantFencedMutex:
            return choice().depth_max > 0 ? choice().depth_max : UINT16_MAX;
        case ModelKind::kMultiLock: return UINT16_MAX;
        default: return 1;
    }
}

bool OwnedModel::counts_against(const LockOperation& held, const LockOperation& wanted) const {
    Hold hold;
    hold.owner = held.owner;
    hold.mode = held.mode;
    return excludes(hold, wanted);
}

bool OwnedModel::excludes(const Hold& held, const LockOperation& wanted) const {
    switch (choice().kind) {
        case ModelKind::kReadWriteLock: return held.mode == 1 || wanted.mode == 1;
        case ModelKind::kMultiLock:
            return wanted.mode < kTagsMax && held.mode < kTagsMax &&
                   (excluded_by_[wanted.mode] >> held.mode & 1U) != 0;
        default: return held.owner != wanted.owner;
    }
}

std::int64_t OwnedModel::excluding(const LockState& state, const LockOperation& wanted) const {
    return std::count_if(state.holds.begin(), state.holds.begin() + state.holds_count,
                         [&](const Hold& hold) { return excludes(hold, wanted); });
}

// `own`: of a re-entrant acquire, the hold that is there.
bool OwnedModel::is_token_right(const LockState& state, const LockOperation& operation,
                                const Hold* own) const {
    if (!has_tokens() || operation.number == kUnknownNumber) {
        return true;
    }
    return own == nullptr ? operation.number > state.last_token : operation.number == own->number;
}

StepResult OwnedModel::acquire(LockState& state, const LockOperation& operation) const {
    const std::size_t place = state.place_of(operation.owner, operation.mode);
    Hold* own = state.has(place, operation.owner, operation.mode) ? &state.holds[place] : nullptr;
    if (excluding(state, operation) > slack() || !is_token_right(state, operation, own)) {
        return StepResult::kImpossible;
    }
    if (own != nullptr) {
        if (own->count >= depth_max()) {
            return StepResult::kImpossible;
        }
        ++own->count;
        return StepResult::kDone;
    }
    Hold hold;
    if (has_tokens()) {
        // One that is not known was the next one: the least that it can have been.
        hold.number = operation.number == kUnknownNumber ? state.last_token + 1 : operation.number;
        state.last_token = hold.number;
    }
    hold.owner = operation.owner;
    hold.mode = operation.mode;
    hold.count = 1;
    return state.insert(place, hold) ? StepResult::kDone : StepResult::kNoRoom;
}

StepResult OwnedModel::release(LockState& state, const LockOperation& operation) const {
    const std::size_t place = state.place_of(operation.owner, operation.mode);
    if (!state.has(place, operation.owner, operation.mode)) {
        return StepResult::kImpossible;
    }
    if (--state.holds[place].count == 0) {
        state.erase(place);
    }
    return StepResult::kDone;
}

StepResult OwnedModel::step(LockState& state, const LockOperation& operation) const {
    switch (operation.code) {
        case LockCode::kAcquire: return acquire(state, operation);
        case LockCode::kRelease: return release(state, operation);
        case LockCode::kExit:
            for (std::size_t i = state.count(); i-- > 0;) {
                if (state.holds[i].owner == operation.owner) {
                    state.erase(i);
                }
            }
            return StepResult::kDone;
        case LockCode::kWrite:
            if (has_tokens() && operation.number != kUnknownNumber) {
                if (operation.number < state.top_write) {
                    return StepResult::kImpossible;
                }
                state.top_write = operation.number;
            }
            return StepResult::kDone;
        case LockCode::kRenew: break;
    }
    return StepResult::kImpossible;
}

std::string OwnedModel::refusal(const LockState& state, const LockOperation& operation) const {
    if (operation.code == LockCode::kWrite) {
        return "an effect with the higher token " + std::to_string(state.top_write) +
               " was taken before";
    }
    const std::size_t place = state.place_of(operation.owner, operation.mode);
    const Hold* own =
        state.has(place, operation.owner, operation.mode) ? &state.holds[place] : nullptr;
    if (operation.code == LockCode::kRelease) {
        return state.holds_count == 0 ? "nobody holds it" : "the caller does not hold it";
    }
    if (excluding(state, operation) > slack()) {
        return "it is held by another that excludes it";
    }
    if (!is_token_right(state, operation, own)) {
        return own != nullptr
                   ? "the token of this hold is " + std::to_string(own->number)
                   : "the token " + std::to_string(state.last_token) + " was granted before";
    }
    return "the caller holds it already";
}

}  // namespace lockkeeper
