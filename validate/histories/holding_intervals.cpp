// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/holding_intervals.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockkeeper {
namespace {

// Models with owners compare active holdings in pairs; this is far above what their states hold.
constexpr std::size_t kActiveMax = 1024;

// Follows the operations in the order of their invocations.
class HoldingsReader {
  public:
    HoldingsReader(const KeyOperations& list, const SequentialModel& model,
                   const SearchBudget& budget)
        : model_(model), open_(list.owners.size()), work_(budget) {}

    // False: the budget has ended.
    bool read(const TimedOperation& timed) {
        place(timed);
        return work_.spend();
    }
    Holdings take() { return {std::move(holdings_), has_foreign_release_}; }

  private:
    void place(const TimedOperation& timed) {
        switch (timed.operation.code) {
            case LockCode::kAcquire:
                if (!timed.operation.is_refused) {
                    begin(timed);
                }
                return;
            case LockCode::kRelease:
            case LockCode::kDestroy: release(timed); return;
            case LockCode::kCancel:
            case LockCode::kOpen:
            case LockCode::kClose: return;
            case LockCode::kExit: end_all(timed); return;
            case LockCode::kRenew:
                if (timed.completed != kNeverCompleted) {
                    begin(timed);
                }
                return;
            case LockCode::kWrite: return;
        }
    }
    void begin(const TimedOperation& timed) {
        Holding holding;
        holding.acquired = timed.operation;
        holding.owner = timed.owner;
        holding.certain.from = timed.answer();
        holding.possible.from = timed.invoked;
        if (model_.knows_time()) {
            const LockOperation& operation = timed.operation;
            const std::int64_t ttl =
                operation.ttl == kUnknownNumber ? model_.choice().ttl : operation.ttl;
            const std::int64_t length =
                std::max<std::int64_t>(0, ttl - model_.choice().clock_error);
            holding.ends_at =
                operation.latest > kForever - length ? kForever : operation.latest + length;
        }
        if (model_.knows_time() && timed.completed != kNeverCompleted) {
            succeed(timed);
        }
        open_[timed.owner].push_back(holdings_.size());
        holdings_.push_back(holding);
    }
    // The caller's lease runs from now; the one that it had ends, at the latest by the return.
    void succeed(const TimedOperation& timed) {
        for (const std::size_t number : open_[timed.owner]) {
            Holding& holding = holdings_[number];
            if (holding.certain.from != kNeverCompleted) {
                holding.certain.to = std::max(holding.certain.from, timed.completed);
            }
            holding.possible.to = timed.completed;
        }
        open_[timed.owner].clear();
    }

    void end(std::size_t number, const TimedOperation& timed) {
        Holding& holding = holdings_[number];
        if (holding.certain.from != kNeverCompleted) {
            holding.certain.to = std::max(holding.certain.from, timed.invoked);
        }
        holding.possible.to = timed.completed;
    }

    void end_all(const TimedOperation& timed) {
        // Where the model knows no owners an exit may give back less, and also what others hold.
        const bool is_guess = timed.operation.code == LockCode::kExit && !model_.knows_owners();
        std::int64_t certain = 0;
        for (const std::size_t number : open_[timed.owner]) {
            end(number, timed);
            Holding& holding = holdings_[number];
            const bool is_certain = holding.certain.from != kNeverCompleted;
            certain += is_certain ? holding.acquired.amount : 0;
            holding.possible.to = is_guess ? kNeverCompleted : holding.possible.to;
        }
        has_foreign_release_ =
            has_foreign_release_ || (is_guess && timed.operation.amount > certain);
        open_[timed.owner].clear();
    }

    void release(const TimedOperation& timed) {
        if (model_.knows_time()) {
            end_all(timed);  // with what its renewals added
            return;
        }
        std::int64_t rest = timed.operation.amount;
        while (rest > 0 && take_back(open_[timed.owner], timed, rest)) {
        }
        has_foreign_release_ = has_foreign_release_ || rest > 0;
        for (std::size_t other = 0;
             rest > 0 && !model_.knows_owners() && other < open_.size() && work_.spend(); ++other) {
            while (rest > 0 && take_back(open_[other], timed, rest)) {
            }
        }
    }

    // The newest of the mode, those that are certain first; in part, where more is held than given
    // back.
    bool take_back(std::vector<std::size_t>& open, const TimedOperation& timed,
                   std::int64_t& rest) {
        if (!work_.spend(1 + open.size())) {
            return false;
        }
        const auto taken = [&](bool is_certain) {
            return std::find_if(open.rbegin(), open.rend(), [&](std::size_t number) {
                const Holding& holding = holdings_[number];
                return holding.acquired.mode == timed.operation.mode &&
                       (holding.certain.from != kNeverCompleted) == is_certain;
            });
        };
        auto found = taken(true);
        found = found == open.rend() ? taken(false) : found;
        if (found == open.rend()) {
            return false;
        }
        const std::size_t number = *found;
        const std::int64_t amount = holdings_[number].acquired.amount;
        if (amount > rest) {
            Holding kept = holdings_[number];
            kept.acquired.amount -= rest;
            holdings_[number].acquired.amount = rest;
            *found = holdings_.size();
            holdings_.push_back(kept);
        } else {
            open.erase(std::next(found).base());
        }
        end(number, timed);
        rest -= std::min(rest, amount);
        return true;
    }

    const SequentialModel& model_;
    std::vector<std::vector<std::size_t>> open_;  // by owner
    std::vector<Holding> holdings_;
    bool has_foreign_release_ = false;
    BudgetedWork work_;
};

// When it ends, by the history's time.
std::int64_t end_time(const Holding& holding, const Times& times) {
    const std::int64_t end = holding.certain.to < times.instants.size()
                                 ? times.instants[holding.certain.to].latest
                                 : times.end;
    return std::min(end, std::max(holding.ends_at, times.instants[holding.certain.from].latest));
}

// The time until which `grant` and the holdings that count against it are too many.
std::int64_t end_of_excess(const Holding& grant, const std::vector<const Holding*>& others,
                           std::int64_t excess, const Times& times) {
    std::vector<std::pair<std::int64_t, std::int64_t>> ends;  // time, amount
    ends.reserve(others.size());
    for (const Holding* other : others) {
        ends.emplace_back(end_time(*other, times), other->acquired.amount);
    }
    std::sort(ends.begin(), ends.end());
    std::int64_t end = end_time(grant, times);
    for (const auto& [time, amount] : ends) {
        excess -= amount;
        if (excess <= 0) {
            end = std::min(end, time);
            break;
        }
    }
    return end;
}

// The holdings that count against the grant. An owner who holds twice in one mode is one holder.
std::vector<const Holding*> against(const Holding& grant, const std::vector<const Holding*>& active,
                                    const SequentialModel& model) {
    std::vector<const Holding*> others;
    for (const Holding* one : active) {
        if (!model.counts_against(one->acquired, grant.acquired)) {
            continue;
        }
        const auto same =
            !model.knows_owners()
                ? others.end()
                : std::find_if(others.begin(), others.end(), [&](const Holding* other) {
                      return other->owner == one->owner &&
                             other->acquired.mode == one->acquired.mode;
                  });
        if (same == others.end()) {
            others.push_back(one);
        } else if ((*same)->certain.to < one->certain.to) {
            *same = one;
        }
    }
    return others;
}

}  // namespace

std::optional<Holdings> holdings_of(const KeyOperations& list, const SequentialModel& model,
                                    const SearchBudget& budget) {
    HoldingsReader reader(list, model, budget);
    for (const TimedOperation& timed : list.operations) {
        if (!reader.read(timed)) {
            return std::nullopt;
        }
    }
    return reader.take();
}

std::optional<Excess> certain_excess(const std::vector<Holding>& holdings,
                                     const SequentialModel& model, const Times& times,
                                     const SearchBudget& budget) {
    std::vector<const Holding*> grants;
    for (const Holding& holding : holdings) {
        if (holding.certain.from < holding.certain.to) {
            grants.push_back(&holding);
        }
    }
    std::sort(grants.begin(), grants.end(), [](const Holding* left, const Holding* right) {
        return left->certain.from < right->certain.from;
    });
    Excess result;
    std::vector<const Holding*> active;
    std::int64_t period_begin = 0;
    std::int64_t period_end = INT64_MIN;
    BudgetedWork work(budget);
    for (const Holding* const granted : grants) {
        const Holding& grant = *granted;
        const std::int64_t now =
            times.instants.empty() ? INT64_MIN : times.instants[grant.certain.from].earliest;
        std::erase_if(active, [&](const Holding* other) {
            return other->certain.to <= grant.certain.from || other->ends_at <= now;
        });
        if (model.knows_owners() && active.size() > kActiveMax) {
            return std::nullopt;
        }
        // Holders are compared with each other, where there are holders.
        const std::size_t pairs = active.size() * (model.knows_owners() ? active.size() : 1);
        if (!work.spend(1 + pairs)) {
            return std::nullopt;
        }
        const std::vector<const Holding*> others = against(grant, active, model);
        active.push_back(&grant);
        const std::int64_t held = std::accumulate(
            others.begin(), others.end(), grant.acquired.amount,
            [](std::int64_t sum, const Holding* one) { return sum + one->acquired.amount; });
        const std::int64_t excess = held - model.limit_of(grant.acquired);
        result.most = std::max(result.most, excess);
        if (excess > 0 && !times.instants.empty()) {
            period_begin = now > period_end ? now : period_begin;
            period_end = std::max(period_end, end_of_excess(grant, others, excess, times));
            result.longest = std::max(result.longest, period_end - period_begin);
        }
    }
    return result;
}

}  // namespace lockkeeper
