// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/open_placement.hpp"

#include <algorithm>
#include <map>

namespace lockkeeper {
namespace {

bool has(const KeyOperations& list, LockCode code) {
    return std::any_of(list.operations.begin(), list.operations.end(),
                       [&](const auto& timed) { return timed.operation.code == code; });
}

// Such a release may give back more than its own owner took.
bool has_open_release(const KeyOperations& list) {
    return std::any_of(list.operations.begin(), list.operations.end(), [](const auto& timed) {
        return timed.operation.code == LockCode::kRelease && timed.completed == kNeverCompleted;
    });
}

// Otherwise a tag can be granted beside a hold that could not be granted beside that tag.
bool excludes_both_ways(const ModelChoice& choice) {
    const std::vector<TagExclusion>& all = choice.exclusions;
    return std::all_of(all.begin(), all.end(), [&](const TagExclusion& one) {
        return std::any_of(all.begin(), all.end(), [&](const TagExclusion& other) {
            return other.wanted == one.held && other.held == one.wanted;
        });
    });
}

bool has_refusals(const KeyOperations& list) {
    return std::any_of(list.operations.begin(), list.operations.end(),
                       [](const auto& timed) { return timed.operation.is_refused; });
}

}  // namespace

OpenPlacements::OpenPlacements(const KeyOperations& list, const SequentialModel& model,
                               bool places_all)
    : list_(list),
      model_(model),
      knows_owners_(model.knows_owners()),
      places_all_(places_all || has_refusals(list)),
      groups_(knows_owners_ ? std::max<std::size_t>(1, list.owners.size()) : 1),
      placements_(list.operations.size(), OpenPlacement::kAnywhere) {
    if (places_all) {
        return;
    }
    for (std::size_t i = 0; i < placements_.size(); ++i) {
        if (list.operations[i].operation.code == LockCode::kWrite) {
            placements_[i] = OpenPlacement::kNever;
        }
    }
    if (!places_all_ && (!model.has_tokens() || tells_tokens())) {
        place_acquires();
    }
}

bool OpenPlacements::needs_hold(const LockOperation& operation) const {
    switch (operation.code) {
        case LockCode::kRelease:
        case LockCode::kRenew: return model_.choice().kind != ModelKind::kFencedResource;
        // With slack a grant between two others tells the owner's token.
        case LockCode::kAcquire: return model_.has_tokens() && model_.choice().slack > 0;
        case LockCode::kWrite: return model_.choice().judges_effects;
        case LockCode::kExit: return false;
    }
    return false;
}

// One more acquire of a hold may be what tells its token.
bool OpenPlacements::is_needed(std::uint32_t operation, const LockState& state) const {
    const LockOperation& what = list_.operations[operation].operation;
    if (of(operation) != OpenPlacement::kBeforeNeed || !knows_owners_ ||
        model_.choice().kind == ModelKind::kReentrantFencedMutex) {
        return true;
    }
    return !state.has(state.place_of(what.owner, what.mode), what.owner, what.mode);
}

bool OpenPlacements::tells_tokens() const {
    std::map<std::int64_t, std::size_t> granted;  // by token: the first invocation
    for (const TimedOperation& timed : list_.operations) {
        const bool is_open = timed.completed == kNeverCompleted;
        if (timed.operation.code != LockCode::kAcquire || !says_token(timed.operation.number)) {
            continue;
        }
        if (is_open) {
            return false;
        }
        granted.emplace(timed.operation.number, timed.invoked);
    }
    return std::all_of(list_.operations.begin(), list_.operations.end(), [&](const auto& timed) {
        if (timed.operation.code != LockCode::kWrite || timed.completed == kNeverCompleted ||
            !says_token(timed.operation.number)) {
            return true;
        }
        const auto found = granted.find(timed.operation.number);
        return found != granted.end() && found->second < timed.completed;
    });
}

bool OpenPlacements::may_move() const {
    const ModelChoice& choice = model_.choice();
    switch (choice.kind) {
        case ModelKind::kMutex: return !has(list_, LockCode::kExit);
        case ModelKind::kSemaphore: return !has(list_, LockCode::kExit) && !has_open_release(list_);
        case ModelKind::kOwnerAwareMutex:
        case ModelKind::kReentrantMutex: return true;
        case ModelKind::kFencedMutex:
        case ModelKind::kReentrantFencedMutex:
        case ModelKind::kReadWriteLock:
        case ModelKind::kReentrantReadWriteLock: return choice.slack == 0;
        case ModelKind::kLease:
        case ModelKind::kFencedLease: return choice.slack == 0 && !choice.judges_effects;
        case ModelKind::kMultiLock: return choice.slack == 0 && excludes_both_ways(choice);
        case ModelKind::kResizableSemaphore:
        case ModelKind::kFencedResource: return false;
    }
    return false;
}

// By group: the last return of an operation that needs a hold; 0: there is none.
std::vector<std::size_t> OpenPlacements::last_needs() const {
    const bool counts = model_.choice().kind == ModelKind::kSemaphore;
    std::vector<std::size_t> last(groups_, counts && has_open_release(list_) ? kNeverCompleted : 0);
    for (std::uint32_t i = 0; i < list_.operations.size(); ++i) {
        const std::size_t completed = list_.operations[i].completed;
        if (completed != kNeverCompleted && needs_hold(i)) {
            last[group(i)] = std::max(last[group(i)], completed);
        }
    }
    return last;
}

// By owner: what a lease of his can have been for, before another acquire shortens it.
std::vector<std::int64_t> OpenPlacements::longest_leases() const {
    std::vector<std::int64_t> longest(groups_, 0);
    for (std::uint32_t i = 0; i < list_.operations.size(); ++i) {
        const LockOperation& operation = list_.operations[i].operation;
        if (operation.code == LockCode::kAcquire || operation.code == LockCode::kRenew) {
            longest[group(i)] = std::max(longest[group(i)], model_.length_of(operation));
        }
    }
    return longest;
}

void OpenPlacements::place_acquires() {
    const bool moves = may_move();
    const std::vector<std::size_t> last = last_needs();
    const std::vector<std::int64_t> longest =
        model_.knows_time() ? longest_leases() : std::vector<std::int64_t>(groups_, 0);
    for (std::uint32_t i = 0; i < list_.operations.size(); ++i) {
        const TimedOperation& timed = list_.operations[i];
        if (timed.operation.code != LockCode::kAcquire ||
            (model_.knows_time() && model_.length_of(timed.operation) < longest[group(i)])) {
            continue;
        }
        placements_[i] = last[group(i)] < timed.invoked ? OpenPlacement::kNever
                         : moves                        ? OpenPlacement::kBeforeNeed
                                                        : OpenPlacement::kAnywhere;
    }
}

}  // namespace lockkeeper
