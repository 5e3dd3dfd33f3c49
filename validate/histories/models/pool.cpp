// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/models/pool.hpp"

#include <algorithm>
#include <map>

namespace lockkeeper {
namespace {

enum Mark : std::uint8_t { kLent, kDestroyed, kGone, kShut, kOpening };

bool has(const LockState& state, std::uint32_t what, Mark mark) {
    return state.has(state.place_of(what, mark), what, mark);
}

StepResult add(LockState& state, std::uint32_t what, Mark mark) {
    if (has(state, what, mark)) {
        return StepResult::kDone;
    }
    const Hold hold{0, what, 1, mark, 0};
    return state.insert(state.place_of(what, mark), hold) ? StepResult::kDone : StepResult::kNoRoom;
}

// False: there was none.
bool take(LockState& state, std::uint32_t what, Mark mark) {
    const bool was_there = has(state, what, mark);
    if (was_there) {
        state.erase(state.place_of(what, mark));
    }
    return was_there;
}

bool is_named(const LockOperation& operation) { return operation.number != kUnknownNumber; }
std::uint32_t name_in(const LockOperation& operation) {
    return static_cast<std::uint32_t>(operation.number);
}

std::int64_t marked(const LockState& state, Mark mark) {
    return std::count_if(state.holds.begin(),
                         state.holds.begin() + static_cast<std::ptrdiff_t>(state.count()),
                         [mark](const Hold& hold) { return hold.mode == mark; });
}

// False: that connection is not lent.
bool give_back(LockState& state, const LockOperation& operation) {
    const bool is_lent = is_named(operation) && take(state, name_in(operation), kLent);
    const std::int64_t others =
        marked(state, kOpening) + (is_named(operation) ? marked(state, kLent) : 0);
    if (!is_lent && state.units <= others) {
        return false;
    }
    --state.units;
    return true;
}

// That many of the owner's acquires without a known end are cancelled.
StepResult set_gone(LockState& state, const LockOperation& cancel) {
    const StepResult result = add(state, cancel.owner, kGone);
    if (result == StepResult::kDone) {
        Hold& mark = state.holds[state.place_of(cancel.owner, kGone)];
        mark.number = std::max(mark.number, cancel.ttl);
    }
    return result;
}

bool is_gone(const LockState& state, const LockOperation& acquire) {
    const std::size_t place = state.place_of(acquire.owner, kGone);
    return acquire.ttl != kUnknownNumber && state.has(place, acquire.owner, kGone) &&
           state.holds[place].number >= acquire.ttl;
}

}  // namespace

bool PoolModel::knows(LockCode code) const {
    return code == LockCode::kAcquire || code == LockCode::kRelease || is_of_pools(code);
}

bool PoolModel::is_full(const LockState& state) const {
    return state.units >= std::int64_t{choice().permits} + slack();
}

StepResult PoolModel::lend(LockState& state, const LockOperation& operation) const {
    const bool is_refused = is_full(state) || has(state, 0, kShut) || is_gone(state, operation) ||
                            (is_named(operation) && (has(state, name_in(operation), kLent) ||
                                                     has(state, name_in(operation), kDestroyed)));
    if (is_refused) {
        return StepResult::kImpossible;
    }
    ++state.units;
    return is_named(operation) ? add(state, name_in(operation), kLent) : StepResult::kDone;
}

StepResult PoolModel::step(LockState& state, const LockOperation& operation) const {
    switch (operation.code) {
        case LockCode::kAcquire: return lend(state, operation);
        case LockCode::kRelease:
            return give_back(state, operation) ? StepResult::kDone : StepResult::kImpossible;
        case LockCode::kDestroy:
            // One with a name may be idle.
            if (!give_back(state, operation) && !is_named(operation)) {
                return StepResult::kImpossible;
            }
            return operation.is_lent_again ? add(state, name_in(operation), kDestroyed)
                                           : StepResult::kDone;
        case LockCode::kCancel:
            return choice().judges_refusals && operation.ttl != kUnknownNumber
                       ? set_gone(state, operation)
                       : StepResult::kDone;
        case LockCode::kClose: return add(state, 0, kShut);
        default: return StepResult::kImpossible;
    }
}

// Where all places are lent the caller waits for one, and takes none.
StepResult PoolModel::open(LockState& state, const LockOperation& operation) const {
    const StepResult result =
        is_full(state) ? StepResult::kDone : add(state, name_in(operation), kOpening);
    state.units += has(state, name_in(operation), kOpening) ? 1 : 0;
    return result;
}

StepResult PoolModel::refuse(LockState& state, const LockOperation& operation) const {
    if (operation.code == LockCode::kOpen) {
        return open(state, operation);
    }
    const auto end = static_cast<WaitEnd>(operation.mode);
    if (end == WaitEnd::kStillWaits || end == WaitEnd::kWaitsCancelled) {
        const bool is_over = end == WaitEnd::kWaitsCancelled || has(state, 0, kShut);
        return is_full(state) && !is_over ? StepResult::kDone : StepResult::kImpossible;
    }
    if (is_named(operation) && take(state, name_in(operation), kOpening)) {
        --state.units;
    }
    const bool has_reason = end == WaitEnd::kGivenUp || has(state, 0, kShut) || is_full(state);
    return has_reason ? StepResult::kDone : StepResult::kImpossible;
}

std::string PoolModel::refusal(const LockState& state, const LockOperation& operation) const {
    LockState tried = state;
    const bool is_open = operation.code == LockCode::kOpen;
    if (is_open || (!operation.is_refused && step(tried, operation) == StepResult::kNoRoom)) {
        return "the search has no room for one more connection";
    }
    if (operation.is_refused) {
        const auto end = static_cast<WaitEnd>(operation.mode);
        return end == WaitEnd::kWaitsCancelled ? "it was cancelled, and the caller waits"
               : end != WaitEnd::kStillWaits
                   ? "a place was free: the caller should have been served"
               : has(state, 0, kShut) ? "the pool is shut down, and the caller waits"
                                      : "a place is free, and the caller waits";
    }
    if (operation.code != LockCode::kAcquire) {
        return "that connection is not lent";
    }
    if (is_named(operation) && has(state, name_in(operation), kLent)) {
        return "that connection is lent to another";
    }
    if (is_named(operation) && has(state, name_in(operation), kDestroyed)) {
        return "that connection was destroyed before";
    }
    return has(state, 0, kShut) ? "the pool was shut down before"
           : is_gone(state, operation)
               ? "the caller was cancelled before"
               : std::to_string(state.units) + " of " + std::to_string(choice().permits) + " lent";
}

void mark_lent_again(KeyOperations& list) {
    std::map<std::int64_t, std::size_t> last;  // by connection: when the last acquire returned
    for (const TimedOperation& timed : list.operations) {
        if (timed.operation.code == LockCode::kAcquire && !timed.operation.is_refused &&
            is_named(timed.operation)) {
            std::size_t& known = last[timed.operation.number];
            known = std::max(known, timed.answer());
        }
    }
    for (TimedOperation& timed : list.operations) {
        const auto found = last.find(timed.operation.number);
        timed.operation.is_lent_again = timed.operation.code == LockCode::kDestroy &&
                                        found != last.end() && found->second > timed.invoked;
    }
}

std::size_t pool_marks_max(const KeyOperations& list) {
    std::size_t connections = 0;
    std::size_t others = 1;  // it is shut
    for (const TimedOperation& timed : list.operations) {
        if (is_named(timed.operation) && !timed.operation.is_refused) {
            connections = std::max<std::size_t>(connections, name_in(timed.operation) + 1U);
        }
        const bool is_cancel =
            timed.operation.code == LockCode::kCancel && timed.operation.ttl != kUnknownNumber;
        others +=
            timed.operation.is_lent_again || is_cancel || timed.operation.code == LockCode::kOpen;
    }
    return connections + others;
}

}  // namespace lockkeeper
