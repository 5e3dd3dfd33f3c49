#include "histories/holding_intervals.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockkeeper {
namespace {

constexpr std::size_t kBetweenLooks = 256;
// Of models with owners, which are compared with each other; far above what their states can hold.
constexpr std::size_t kActiveMax = 1024;

// Follows the operations in the order of their invocations.
class HoldingsReader {
  public:
    HoldingsReader(const KeyOperations& list, const SequentialModel& model)
        : model_(model), open_(list.owners.size()) {}

    void read(const TimedOperation& timed) {
        switch (timed.operation.code) {
            case LockCode::kAcquire:
                if (!timed.operation.is_refused) {
                    begin(timed);
                }
                return;
            case LockCode::kRelease: release(timed); return;
            case LockCode::kExit: end_all(timed); return;
            case LockCode::kRenew:
                if (timed.completed != kNeverCompleted) {
                    begin(timed);
                }
                return;
            case LockCode::kWrite: return;
        }
    }
    Holdings take() { return {std::move(holdings_), has_foreign_release_}; }

  private:
    void begin(const TimedOperation& timed) {
        Holding holding;
        holding.acquired = timed.operation;
        holding.owner = timed.owner;
        holding.certain.from = timed.completed;
        holding.possible.from = timed.invoked;
        if (model_.knows_time()) {
            const LockOperation& operation = timed.operation;
            const std::int64_t ttl =
                operation.number == kUnknownNumber ? model_.choice().ttl : operation.number;
            const std::int64_t length =
                std::max<std::int64_t>(0, ttl - model_.choice().clock_error);
            holding.ends_at =
                operation.latest > kForever - length ? kForever : operation.latest + length;
        }
        open_[timed.owner].push_back(holdings_.size());
        holdings_.push_back(holding);
    }

    void end(std::size_t number, const TimedOperation& timed) {
        Holding& holding = holdings_[number];
        if (holding.certain.from != kNeverCompleted) {
            holding.certain.to = std::max(holding.certain.from, timed.invoked);
        }
        holding.possible.to = timed.completed;
    }

    void end_all(const TimedOperation& timed) {
        for (const std::size_t number : open_[timed.owner]) {
            end(number, timed);
        }
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
        for (std::size_t other = 0; rest > 0 && !model_.knows_owners() && other < open_.size();
             ++other) {
            while (rest > 0 && take_back(open_[other], timed, rest)) {
            }
        }
    }

    // The newest of the mode, those that are certain first; in part, where more is held than given
    // back.
    bool take_back(std::vector<std::size_t>& open, const TimedOperation& timed,
                   std::int64_t& rest) {
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
};

// When it ends, by the history's time.
std::int64_t end_time(const Holding& holding, const std::vector<std::int64_t>& times) {
    const std::int64_t end =
        holding.certain.to < times.size() ? times[holding.certain.to] : times.back();
    return std::min(end, std::max(holding.ends_at, times[holding.certain.from]));
}

// Until when `grant` and those that count against it are too many.
std::int64_t end_of_excess(const Holding& grant, const std::vector<const Holding*>& others,
                           std::int64_t excess, const std::vector<std::int64_t>& times) {
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

// What counts against the grant. An owner who holds twice in one mode is one holder.
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

bool is_reentrant(const SequentialModel& model) {
    return model.choice().kind == ModelKind::kReentrantMutex ||
           model.choice().kind == ModelKind::kReentrantFencedMutex;
}

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
    // And a few that do not.
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
        const bool is_own = holding.owner == call.owner && !is_reentrant(model);
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

// What others held for certain during the whole call.
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

}  // namespace

Holdings holdings_of(const KeyOperations& list, const SequentialModel& model) {
    HoldingsReader reader(list, model);
    for (const TimedOperation& timed : list.operations) {
        reader.read(timed);
    }
    return reader.take();
}

std::optional<Excess> certain_excess(const std::vector<Holding>& holdings,
                                     const SequentialModel& model,
                                     const std::vector<std::int64_t>& times,
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
    for (std::size_t i = 0; i < grants.size(); ++i) {
        if (i % kBetweenLooks == 0 && budget.ended() != nullptr) {
            return std::nullopt;
        }
        const Holding& grant = *grants[i];
        const std::int64_t now = times.empty() ? INT64_MIN : times[grant.certain.from];
        std::erase_if(active, [&](const Holding* other) {
            return other->certain.to <= grant.certain.from || other->ends_at <= now;
        });
        if (model.knows_owners() && active.size() > kActiveMax) {
            return std::nullopt;
        }
        const std::vector<const Holding*> others = against(grant, active, model);
        active.push_back(&grant);
        const std::int64_t held = std::accumulate(
            others.begin(), others.end(), grant.acquired.amount,
            [](std::int64_t sum, const Holding* one) { return sum + one->acquired.amount; });
        const std::int64_t excess = held - model.limit_of(grant.acquired);
        result.most = std::max(result.most, excess);
        if (excess > 0 && !times.empty()) {
            period_begin = now > period_end ? now : period_begin;
            period_end = std::max(period_end, end_of_excess(grant, others, excess, times));
            result.longest = std::max(result.longest, period_end - period_begin);
        }
    }
    return result;
}

std::optional<Refusals> judge_refusals(const KeyOperations& list,
                                       const std::vector<Holding>& holdings,
                                       const SequentialModel& model, const SearchBudget& budget) {
    Refusals result;
    std::vector<std::pair<const TimedOperation*, std::int64_t>> lost;  // and what was wanted
    std::size_t looks = 0;
    ActiveHoldings possible(holdings, &Holding::possible);
    for (const TimedOperation& timed : list.operations) {
        if (!timed.operation.is_refused) {
            continue;
        }
        if (++looks % kBetweenLooks == 0 && budget.ended() != nullptr) {
            return std::nullopt;
        }
        ++result.all;
        const std::int64_t wanted =
            possible_most(timed, possible.around(timed), model) + timed.operation.amount;
        if (wanted <= model.limit_of(timed.operation)) {
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
        if (++looks % kBetweenLooks == 0 && budget.ended() != nullptr) {
            return std::nullopt;
        }
        granted.emplace_back(timed.invoked, certain_least(timed, certain.around(timed), model) +
                                                timed.operation.amount);
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
