// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "work/incident.hpp"

namespace lockkeeper {
namespace {

bool is_known(std::int64_t time) { return time > logs::kLongAgo / 2 && time < logs::kNever / 2; }

std::int64_t floor_of(std::int64_t time, std::int64_t unit) {
    return time / unit - (time % unit < 0 ? 1 : 0);
}
std::int64_t ceiling_of(std::int64_t time, std::int64_t unit) { return -floor_of(-time, unit); }

// `at[later] >= at[earlier] + least`, or an upper bound of the same form with `least` below 0.
struct Distance {
    std::size_t earlier = 0;
    std::size_t later = 0;
    std::int64_t least = 0;
};

// Says what the order and the leases of a run say about the times of its operations.
class LeaseDistances {
  public:
    LeaseDistances(const std::vector<IncidentOperation>& operations, std::int64_t ttl)
        : operations_(operations), ttl_(ttl) {}

    std::vector<Distance> all() {
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (i > 0) {
                distances_.push_back({i - 1, i, 0});
            }
            if (ttl_ > 0) {
                follow(i);
            }
        }
        return std::move(distances_);
    }

  private:
    // The lease that was granted last still runs at operation `i`, or has run out.
    void runs(std::size_t i) { distances_.push_back({i, *granted_, 1 - ttl_}); }
    void ran_out(std::size_t i) { distances_.push_back({*granted_, i, ttl_}); }

    void follow(std::size_t i) {
        const IncidentOperation& operation = operations_[i];
        const bool is_own = granted_ && operations_[*granted_].caller == operation.caller;
        switch (operation.code) {
            case LockCode::kAcquire:
                if (operation.is_refused) {
                    if (granted_) {
                        runs(i);
                    }
                    return;
                }
                if (granted_) {
                    ran_out(i);
                }
                granted_ = i;
                return;
            case LockCode::kRenew:
                if (is_own && !operation.is_refused) {
                    runs(i);
                    granted_ = i;
                } else if (is_own) {
                    ran_out(i);
                }
                return;
            case LockCode::kRelease:
                if (is_own) {
                    operation.is_refused ? ran_out(i) : runs(i);
                    granted_.reset();
                }
                return;
            default:
                if (is_own) {
                    operation.is_outside ? ran_out(i) : runs(i);
                }
                return;
        }
    }

    const std::vector<IncidentOperation>& operations_;
    std::int64_t ttl_;
    std::optional<std::size_t> granted_;  // the operation that granted or renewed last
    std::vector<Distance> distances_;
};

// The least times that keep all distances, from the least that each may have. False: there are
// none.
bool settle(const std::vector<Distance>& distances, std::vector<std::int64_t>& at,
            const std::vector<std::int64_t>& most) {
    for (std::size_t round = 0; round <= at.size(); ++round) {
        bool has_changed = false;
        for (const Distance& distance : distances) {
            const std::int64_t least = at[distance.earlier] + distance.least;
            if (at[distance.later] < least) {
                at[distance.later] = least;
                has_changed = true;
            }
        }
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (at[i] > most[i]) {
                return false;
            }
        }
        if (!has_changed) {
            return true;
        }
    }
    return false;
}

// Where its call is not known, its line.
std::int64_t begin_of(const logs::Problem& problem, const IncidentOperation& operation) {
    return is_known(operation.earliest) ? operation.earliest
                                        : problem.line(*operation.line).earliest;
}

// The place of the answer that the operation at `moment` has; nothing: no line says it.
std::optional<logs::Place> answer_of(const logs::Problem& problem, const logs::Retold& run,
                                     const IncidentOperation& operation) {
    for (const logs::Moment& moment : run.moments) {
        const bool is_its = moment.line && moment.caller == operation.caller &&
                            moment.earliest >= operation.earliest &&
                            problem.line(*moment.line).seen == logs::Seen::kAnswer &&
                            moment.code == operation.code;
        if (is_its) {
            return moment.line;
        }
    }
    return std::nullopt;
}

// A refusal changes nothing, and the run has it as early as it can be: it comes after what its
// caller did before the line of its answer.
std::vector<IncidentOperation> in_order_of_logs(const logs::Problem& problem,
                                                const logs::Retold& run,
                                                std::vector<IncidentOperation> operations) {
    for (std::size_t i = operations.size(); i-- > 0;) {
        const bool is_hidden = operations[i].is_refused && !operations[i].line;
        const auto answer = is_hidden ? answer_of(problem, run, operations[i]) : std::nullopt;
        std::size_t last = i;
        for (std::size_t later = i + 1; answer && later < operations.size(); ++later) {
            const IncidentOperation& other = operations[later];
            const bool comes_before = other.caller == operations[i].caller && other.line &&
                                      other.line->source == answer->source &&
                                      other.line->position < answer->position;
            last = comes_before ? later : last;
        }
        if (last > i) {
            operations[i].earliest = std::max(operations[i].earliest, operations[last].earliest);
            std::rotate(operations.begin() + static_cast<std::ptrdiff_t>(i),
                        operations.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        operations.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        }
    }
    return operations;
}

}  // namespace

std::vector<IncidentOperation> operations_of(const logs::Problem& problem,
                                             const logs::Retold& run) {
    std::vector<IncidentOperation> operations;
    for (const logs::Moment& moment : run.moments) {
        const bool is_effect =
            moment.line && problem.line(*moment.line).seen == logs::Seen::kEffect;
        if (!moment.is_served && !is_effect) {
            continue;
        }
        IncidentOperation operation;
        operation.caller = moment.caller;
        operation.code = is_effect ? LockCode::kWrite : moment.code;
        operation.is_refused = moment.is_refused;
        operation.has_answer = !moment.is_stray && !moment.is_hidden;
        operation.is_outside = moment.is_outside;
        operation.line = moment.line;
        operation.earliest = moment.earliest;
        operation.latest = moment.latest;
        operations.push_back(operation);
    }
    return in_order_of_logs(problem, run, std::move(operations));
}

std::vector<IncidentOperation> operations_of_lines(const logs::Problem& problem) {
    std::vector<IncidentOperation> operations;
    for (std::uint32_t caller = 0; caller < problem.own.size(); ++caller) {
        bool is_called = false;  // the last operation has no answer yet
        for (const logs::Place place : problem.own[caller]) {
            const logs::Line& line = problem.line(place);
            const bool is_answer = line.seen == logs::Seen::kAnswer;
            const bool is_own_answer =
                is_answer && is_called && operations.back().code == line.code;
            if (!is_own_answer) {
                IncidentOperation operation;
                operation.caller = caller;
                operation.code = line.code;
                operation.has_answer = false;
                operation.line = place;
                operation.earliest = is_answer ? logs::kLongAgo : line.earliest;
                operations.push_back(operation);
            }
            is_called = !is_answer;
            const bool is_known =
                line.outcome == logs::Outcome::kOk || line.outcome == logs::Outcome::kRefused;
            if (is_answer && is_known) {
                IncidentOperation& operation = operations.back();
                operation.has_answer = true;
                operation.is_refused = line.outcome == logs::Outcome::kRefused;
                operation.line = place;
                operation.latest = line.latest;
            }
        }
    }
    for (std::uint32_t source = 0; source < problem.sources.size(); ++source) {
        for (std::uint32_t i = 0; i < problem.sources[source].size(); ++i) {
            const logs::Line& line = problem.sources[source][i];
            if (line.seen == logs::Seen::kEffect) {
                IncidentOperation operation;
                operation.caller = line.caller;
                operation.code = LockCode::kWrite;
                operation.line = logs::Place{source, i};
                operation.earliest = line.earliest;
                operation.latest = line.latest;
                operations.push_back(operation);
            }
        }
    }
    std::stable_sort(operations.begin(), operations.end(),
                     [&](const IncidentOperation& left, const IncidentOperation& right) {
                         return begin_of(problem, left) < begin_of(problem, right);
                     });
    return operations;
}

std::vector<IncidentOperation> around_first_outside(
    const std::vector<IncidentOperation>& operations) {
    const auto outside =
        std::find_if(operations.begin(), operations.end(),
                     [](const IncidentOperation& operation) { return operation.is_outside; });
    if (outside == operations.end()) {
        return operations;
    }
    const auto is_grant = [](const IncidentOperation& operation) {
        return operation.code == LockCode::kAcquire && !operation.is_refused;
    };
    auto first = outside;  // the last grant of this caller; of any, where it had none
    for (auto at = operations.begin(); at != outside; ++at) {
        const bool is_better =
            first == outside || at->caller == outside->caller || first->caller != outside->caller;
        if (is_grant(*at) && is_better) {
            first = at;
        }
    }
    std::set<std::uint32_t> callers{outside->caller};
    for (auto at = first; at != outside; ++at) {
        if (is_grant(*at)) {
            callers.insert(at->caller);
        }
    }
    std::vector<IncidentOperation> part;
    std::copy_if(
        first, outside + 1, std::back_inserter(part),
        [&](const IncidentOperation& operation) { return callers.count(operation.caller) > 0; });
    return part;
}

std::vector<IncidentOperation> without_bystanders(
    const std::vector<IncidentOperation>& operations) {
    std::set<std::uint32_t> callers;
    for (const IncidentOperation& operation : operations) {
        if (!operation.is_refused) {
            callers.insert(operation.caller);
        }
    }
    std::vector<IncidentOperation> part;
    std::copy_if(
        operations.begin(), operations.end(), std::back_inserter(part),
        [&](const IncidentOperation& operation) { return callers.count(operation.caller) > 0; });
    return part;
}

std::optional<IncidentTimes> times_in(std::int64_t unit,
                                      const std::vector<IncidentOperation>& operations,
                                      std::int64_t ttl, std::int32_t units_max) {
    constexpr std::int64_t kUnitsOfLease = 10;  // at least: else a unit is too coarse for it
    const bool is_too_coarse = ttl > 0 && ttl / unit < kUnitsOfLease;
    if (is_too_coarse || ttl % unit != 0 || ttl / unit > units_max) {
        return std::nullopt;
    }
    std::optional<std::int64_t> first;
    bool begins_before = false;  // a lease that was granted before the first line
    for (const IncidentOperation& operation : operations) {
        if (is_known(operation.earliest)) {
            first = std::min(first.value_or(operation.earliest), operation.earliest);
        } else {
            begins_before = true;
        }
    }
    const std::int64_t origin = first.value_or(0) - (begins_before ? ttl : 0);
    IncidentTimes times{unit, floor_of(origin, unit) * unit, {}};
    std::vector<std::int64_t> at;
    std::vector<std::int64_t> most;
    for (const IncidentOperation& operation : operations) {
        at.push_back(
            is_known(operation.earliest) ? floor_of(operation.earliest - times.origin, unit) : 0);
        most.push_back(is_known(operation.latest)
                           ? ceiling_of(operation.latest - times.origin, unit)
                           : units_max);
    }
    if (!settle(LeaseDistances(operations, ttl / unit).all(), at, most) ||
        (!at.empty() && at.back() > units_max)) {
        return std::nullopt;
    }
    for (const std::int64_t time : at) {
        times.at.push_back(static_cast<std::int32_t>(time));
    }
    return times;
}

std::optional<IncidentTimes> incident_times(const std::vector<IncidentOperation>& operations,
                                            std::int64_t ttl, std::int32_t units_max) {
    constexpr std::int64_t kUnits[] = {1'000'000,     10'000'000,     100'000'000,
                                       1'000'000'000, 10'000'000'000, 60'000'000'000,
                                       100'000,       10'000,         1'000};
    for (const std::int64_t unit : kUnits) {
        if (auto times = times_in(unit, operations, ttl, units_max)) {
            return times;
        }
    }
    return std::nullopt;
}

}  // namespace lockkeeper
