// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/open_operations.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace lockkeeper {
namespace {

// A vector that makes room moves this many elements for the cost of one operation.
constexpr std::size_t kPiecesMovedAtOnce = 64;

auto as_tuple(const LockOperation& operation) {
    return std::tuple(operation.code, operation.is_refused, operation.is_token_granted,
                      operation.is_lent_again, operation.mode, operation.owner, operation.amount,
                      operation.number, operation.ttl, operation.earliest, operation.latest);
}

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

// When a pool is shut down for certain.
std::size_t first_close(const KeyOperations& list) {
    std::size_t first = kNeverCompleted;
    for (const TimedOperation& timed : list.operations) {
        if (timed.operation.code == LockCode::kClose) {
            first = std::min(first, timed.completed);
        }
    }
    return first;
}

// An acquire that got nothing can have ended at any moment at which another one had to: its caller
// gave up, or the pool is a reason by then.
bool may_end_for_another(const TimedOperation& refused, std::size_t shut) {
    const bool gave_up = refused.operation.mode == static_cast<std::uint8_t>(WaitEnd::kGivenUp);
    return refused.called == kNeverCompleted && (gave_up || refused.completed > shut);
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
        case LockCode::kDestroy: return true;
        case LockCode::kCancel:
        case LockCode::kOpen:
        case LockCode::kClose: return false;
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
        case ModelKind::kPool:
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

void OpenOperations::number_kinds(const KeyOperations& list, const OpenPlacements& placements) {
    std::vector<std::uint32_t> sorted(list.operations.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    const auto operation = [&](std::uint32_t i) {
        const bool is_moved = list.operations[i].completed == kNeverCompleted &&
                              placements.of(i) == OpenPlacement::kBeforeNeed;
        LockOperation one = list.operations[i].operation;
        one.earliest = is_moved ? 0 : one.earliest;
        return as_tuple(one);
    };
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t left, std::uint32_t right) {
        return operation(left) < operation(right);
    });
    kinds_.resize(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const bool is_new = i == 0 || operation(sorted[i - 1]) != operation(sorted[i]);
        kinds_count_ += is_new ? 1 : 0;
        kinds_[sorted[i]] = static_cast<std::uint32_t>(kinds_count_ - 1);
    }
    // One that its process orders cannot take the place of another. But an opening that ends first
    // can, where it may give its place, at its end, to the one that ends later.
    const std::size_t shut = first_close(list);
    std::map<std::uint8_t, std::uint32_t> alike;  // by WaitEnd: openings; the next: their ends
    for (std::size_t i = 0; i < list.operations.size(); ++i) {
        const TimedOperation& timed = list.operations[i];
        if (timed.after == kNeverCompleted) {
            continue;
        }
        const bool is_alike = list.operations[timed.after].operation.code == LockCode::kOpen &&
                              may_end_for_another(timed, shut);
        auto kind = static_cast<std::uint32_t>(kinds_count_);
        if (is_alike) {
            kind = alike.try_emplace(timed.operation.mode, kind).first->second;
        }
        kinds_count_ = std::max<std::size_t>(kinds_count_, kind + 2U);
        kinds_[timed.after] = kind;
        kinds_[i] = kind + 1;
    }
}

const char* OpenOperations::build(const KeyOperations& list, const OpenPlacements& placements,
                                  const SearchBudget& budget) {
    const std::vector<TimedOperation>& operations = list.operations;
    number_kinds(list, placements);
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
        if (operations[i].completed != kNeverCompleted) {
            returns_.push_back(i);
        }
    }
    // One exit may end what several owners hold: they return together, in the order of the list.
    const auto earlier = [&](std::uint32_t left, std::uint32_t right) {
        return std::pair(operations[left].completed, left) <
               std::pair(operations[right].completed, right);
    };
    std::sort(returns_.begin(), returns_.end(), earlier);
    places_.resize(operations.size(), kNeverCompleted);
    for (std::size_t place = 0; place < returns_.size(); ++place) {
        places_[returns_[place]] = place;
    }
    BudgetedWork work(budget);
    slots_.resize(operations.size());
    std::vector<std::uint32_t> free_slots;
    std::vector<std::uint32_t> open;  // sorted by return
    std::uint32_t next = 0;           // to be invoked
    for (const std::uint32_t returning : returns_) {
        for (;
             next < operations.size() && operations[next].invoked < operations[returning].completed;
             ++next) {
            if (!work.spend(1 + open.size() / kPiecesMovedAtOnce)) {
                return work.limit();
            }
            const bool is_unending = operations[next].completed == kNeverCompleted;
            if (is_unending && placements.of(next) == OpenPlacement::kNever) {
                continue;
            }
            if (free_slots.empty()) {
                free_slots.push_back(static_cast<std::uint32_t>(slots_count_++));
            }
            slots_[next] = free_slots.back();
            free_slots.pop_back();
            if (is_unending) {
                unending_.push_back(next);
            } else {
                open.insert(std::upper_bound(open.begin(), open.end(), next, earlier), next);
            }
        }
        begins_.push_back(open_.size());
        open_.insert(open_.end(), open.begin(), open.end());
        unending_counts_.push_back(static_cast<std::uint32_t>(unending_.size()));
        free_slots.push_back(slots_[returning]);
        open.erase(open.begin());
        if (open_.size() * sizeof(std::uint32_t) > budget.bytes_max() / 2) {
            return "memory";
        }
        if (!work.spend(1 + open.size() / kPiecesMovedAtOnce)) {
            return work.limit();
        }
    }
    begins_.push_back(open_.size());
    return nullptr;
}

}  // namespace lockkeeper
