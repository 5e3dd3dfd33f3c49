// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "validate/histories/holding_intervals.hpp"
#include "validate/histories/waiters.hpp"

namespace lockkeeper {
namespace {

// The cost of looking at one holding and sorting it, in the unit of BudgetedWork.
constexpr std::uint64_t kPiecesOfHolding = 4;

// The holdings whose span meets a call, for calls in the order of their invocations.
class ActiveHoldings {
  public:
    ActiveHoldings(const std::vector<Holding>& holdings, Span Holding::*span) : span_(span) {
        for (const Holding& holding : holdings) {
            if ((holding.*span).from < (holding.*span).to) {
                sorted_.push_back(&holding);
            }
        }
        std::sort(sorted_.begin(), sorted_.end(), [&](const Holding* left, const Holding* right) {
            return (left->*span_).from < (right->*span_).from;
        });
    }
    // Returns them and perhaps a few that do not meet the call.
    const std::vector<const Holding*>& around(const TimedOperation& call) {
        for (; next_ < sorted_.size() && (sorted_[next_]->*span_).from < call.completed; ++next_) {
            active_.push_back(sorted_[next_]);
        }
        std::erase_if(active_,
                      [&](const Holding* one) { return (one->*span_).to <= call.invoked; });
        return active_;
    }

  private:
    Span Holding::*span_;
    std::vector<const Holding*> sorted_;
    std::size_t next_ = 0;
    std::vector<const Holding*> active_;
};

// The most that others can have held at one moment of the call.
std::int64_t possible_most(const TimedOperation& call, const std::vector<const Holding*>& holdings,
                           const SequentialModel& model) {
    std::vector<std::pair<std::size_t, std::int64_t>> changes;  // position, difference
    for (const Holding* one : holdings) {
        const Holding& holding = *one;
        const bool is_own = holding.owner == call.owner && !is_reentrant(model.choice().kind);
        if (holding.possible.from < call.completed && holding.possible.to > call.invoked &&
            (is_own || model.counts_against(holding.acquired, call.operation))) {
            changes.emplace_back(holding.possible.from, holding.acquired.amount);
            changes.emplace_back(holding.possible.to, -holding.acquired.amount);
        }
    }
    std::sort(changes.begin(), changes.end());
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const auto& [position, difference] : changes) {
        now += difference;
        most = std::max(most, now);
    }
    return most;
}

// The amount that others held for certain during the whole call.
std::int64_t certain_least(const TimedOperation& call, const std::vector<const Holding*>& holdings,
                           const SequentialModel& model) {
    std::int64_t least = 0;
    for (const Holding* one : holdings) {
        const Holding& holding = *one;
        if (holding.certain.from < call.invoked && holding.certain.to > call.completed &&
            model.counts_against(holding.acquired, call.operation)) {
            least += holding.acquired.amount;
        }
    }
    return least;
}

// The caller holds a re-entrant lock for certain during the whole call, and may acquire it again.
// Then neither a caller who might have been granted meanwhile nor one who waits is a reason.
bool holds_already(const TimedOperation& refused, const std::vector<const Holding*>& around,
                   const SequentialModel& model) {
    std::uint32_t possible = 0;
    bool is_certain = false;
    for (const Holding* one : around) {
        if (one->owner == refused.owner && one->acquired.mode == refused.operation.mode) {
            ++possible;
            is_certain = is_certain || (one->certain.from < refused.invoked &&
                                        one->certain.to > refused.completed);
        }
    }
    const std::uint32_t depth_max = model.choice().depth_max;
    return is_reentrant(model.choice().kind) && is_certain &&
           (depth_max == 0 || possible < depth_max);
}

// Another acquire waited for room at some moment of the call, as far as anybody can tell.
bool may_be_behind_another(const TimedOperation& refused, const KeyOperations& list,
                           const std::vector<const Holding*>& around, const SequentialModel& model,
                           BudgetedWork& work) {
    for (const TimedOperation& timed : list.operations) {
        if (timed.invoked >= refused.completed || !work.spend()) {
            break;
        }
        if (timed.invoked == refused.invoked || timed.completed <= refused.invoked ||
            !would_be_kept_out(model, timed.operation, refused.operation)) {
            continue;
        }
        TimedOperation waiting = timed;
        waiting.invoked = std::max(timed.invoked, refused.invoked);
        waiting.completed = std::min(timed.completed, refused.completed);
        std::vector<const Holding*> others;
        std::copy_if(around.begin(), around.end(), std::back_inserter(others),
                     [&](const Holding* one) { return one->possible.from != timed.invoked; });
        if (possible_most(waiting, others, model) + timed.operation.amount >
            model.limit_of(timed.operation)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<Refusals> judge_refusals(const KeyOperations& list,
                                       const std::vector<Holding>& holdings,
                                       const SequentialModel& model, const SearchBudget& budget) {
    Refusals result;
    std::vector<std::pair<const TimedOperation*, std::int64_t>> lost;  // and what was wanted
    BudgetedWork work(budget);
    ActiveHoldings possible(holdings, &Holding::possible);
    for (const TimedOperation& timed : list.operations) {
        if (!timed.operation.is_refused) {
            continue;
        }
        const std::vector<const Holding*>& around = possible.around(timed);
        if (!work.spend(1 + around.size() * kPiecesOfHolding)) {
            return std::nullopt;
        }
        ++result.all;
        const std::int64_t limit = model.limit_of(timed.operation);
        const std::int64_t wanted = possible_most(timed, around, model) + timed.operation.amount;
        if (holds_already(timed, around, model)) {
            lost.emplace_back(&timed, std::min(wanted, limit));
        } else if (wanted <= limit && !(model.choice().is_fair &&
                                        may_be_behind_another(timed, list, around, model, work))) {
            lost.emplace_back(&timed, wanted);
        }
    }
    result.without_reason = lost.size();
    if (lost.empty()) {
        return result;
    }
    // By invocation: the most that was in use with this grant or a later one.
    std::vector<std::pair<std::size_t, std::int64_t>> granted;
    ActiveHoldings certain(holdings, &Holding::certain);
    for (const TimedOperation& timed : list.operations) {
        if (timed.operation.code != LockCode::kAcquire || timed.operation.is_refused ||
            timed.completed == kNeverCompleted) {
            continue;
        }
        const std::vector<const Holding*>& around = certain.around(timed);
        if (!work.spend(1 + around.size() * kPiecesOfHolding)) {
            return std::nullopt;
        }
        granted.emplace_back(timed.invoked,
                             certain_least(timed, around, model) + timed.operation.amount);
    }
    for (std::size_t i = granted.size(); i-- > 1;) {
        granted[i - 1].second = std::max(granted[i - 1].second, granted[i].second);
    }
    result.example = lost.front().first->invoked;
    for (const auto& [refused, wanted] : lost) {
        const auto later = std::upper_bound(
            granted.begin(), granted.end(), refused->completed,
            [](std::size_t position, const auto& grant) { return position < grant.first; });
        if (later == granted.end() || later->second < wanted) {
            result.example = result.not_recovered == 0 ? refused->invoked : result.example;
            ++result.not_recovered;
        }
    }
    return result;
}

}  // namespace lockkeeper
