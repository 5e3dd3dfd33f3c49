// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/open_operations.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace lockkeeper {
namespace {

// A vector that makes room moves this many elements for the cost of one operation.
constexpr std::size_t kPiecesMovedAtOnce = 64;

auto as_tuple(const LockOperation& operation) {
    return std::tuple(operation.code, operation.is_refused, operation.is_token_granted,
                      operation.mode, operation.owner, operation.amount, operation.number,
                      operation.ttl, operation.earliest, operation.latest);
}

}  // namespace

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
    // One that its process orders cannot take the place of another.
    for (std::size_t i = 0; i < list.operations.size(); ++i) {
        const std::size_t before = list.operations[i].after;
        if (before != kNeverCompleted) {
            kinds_[before] = static_cast<std::uint32_t>(kinds_count_++);
            kinds_[i] = static_cast<std::uint32_t>(kinds_count_++);
        }
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
