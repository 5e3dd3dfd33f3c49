// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/pool_waits.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace lockkeeper {
namespace {

constexpr std::string_view kStillWaits = "still waiting";
constexpr std::string_view kCancelled = "cancelled";
constexpr std::string_view kCanceled = "canceled";
constexpr std::string_view kBroken = "broken";

// The last record from the call on that was surely made before the call's time was over.
std::size_t last_before(std::int64_t over, const std::vector<TimeRange>& instants,
                        std::size_t invoked, std::size_t ended) {
    const auto at = [&](std::size_t position) {
        return instants.begin() + static_cast<std::ptrdiff_t>(position);
    };
    const auto found = std::partition_point(
        at(invoked), at(ended), [&](const TimeRange& instant) { return instant.latest < over; });
    return found == at(invoked) ? invoked : static_cast<std::size_t>(found - at(0)) - 1;
}

bool lends(const TimedOperation& timed) {
    return timed.operation.code == LockCode::kAcquire && !timed.operation.is_refused &&
           timed.completed != kNeverCompleted;
}

bool is_acquire(const TimedOperation& timed) { return timed.operation.code == LockCode::kAcquire; }
bool has_end(const TimedOperation& timed, WaitEnd end) {
    return timed.operation.is_refused && timed.operation.mode == static_cast<std::uint8_t>(end);
}
void set_end(TimedOperation& timed, WaitEnd end) {
    timed.operation.mode = static_cast<std::uint8_t>(end);
}

// The acquires of one owner, in the order of their calls.
struct OwnAcquires {
    std::vector<TimedOperation*> ended;
    std::vector<std::size_t> ended_by;  // the last answer up to that place
    std::vector<TimedOperation*> open;  // without a known end

    void add(TimedOperation& timed) {
        if (timed.completed == kNeverCompleted) {
            open.push_back(&timed);
            return;
        }
        ended_by.push_back(std::max(ended_by.empty() ? 0 : ended_by.back(), timed.completed));
        ended.push_back(&timed);
    }
};

// The first that was called after that record.
auto first_called_after(std::vector<TimedOperation*>& acquires, std::size_t record) {
    return std::partition_point(acquires.begin(), acquires.end(),
                                [&](const TimedOperation* one) { return one->call() < record; });
}

// They overlap.
void bind(const TimedOperation& cancel, TimedOperation& acquire) {
    const bool is_sure = acquire.call() < cancel.invoked && cancel.completed < acquire.answer();
    if (has_end(acquire, WaitEnd::kRefused)) {
        set_end(acquire, WaitEnd::kGivenUp);
    } else if (has_end(acquire, WaitEnd::kStillWaits) && is_sure) {
        set_end(acquire, WaitEnd::kWaitsCancelled);
    } else if (!acquire.operation.is_refused && is_sure) {
        acquire.answered = acquire.answer();
        acquire.completed = std::min(acquire.completed, cancel.completed);
    }
}

void bind(TimedOperation& cancel, OwnAcquires& own) {
    const auto first = own.open.begin();
    const auto last = first_called_after(own.open, cancel.invoked);
    if (first != last && cancel.completed != kNeverCompleted) {
        cancel.operation.ttl = last - first;
        for (auto one = last; one != first && (*--one)->operation.ttl == kUnknownNumber;) {
            (*one)->operation.ttl = one - first + 1;
        }
    }
    auto place = static_cast<std::size_t>(first_called_after(own.ended, cancel.completed) -
                                          own.ended.begin());
    for (; place > 0 && own.ended_by[place - 1] > cancel.invoked; --place) {
        if (own.ended[place - 1]->answer() > cancel.invoked) {
            bind(cancel, *own.ended[place - 1]);
        }
    }
}

// How many of some calls overlap another.
class Spans {
  public:
    void add(const TimedOperation& timed) {
        begins_.push_back(timed.invoked);
        ends_.push_back(timed.completed);
    }
    void sort() {
        std::sort(begins_.begin(), begins_.end());
        std::sort(ends_.begin(), ends_.end());
    }
    [[nodiscard]] bool meet(const TimedOperation& timed, std::ptrdiff_t itself) const {
        const auto begun = std::lower_bound(begins_.begin(), begins_.end(), timed.completed);
        const auto over = std::upper_bound(ends_.begin(), ends_.end(), timed.call());
        return (begun - begins_.begin()) - (over - ends_.begin()) > itself;
    }

  private:
    std::vector<std::size_t> begins_;
    std::vector<std::size_t> ends_;
};

}  // namespace

std::optional<RecordProblem> record_after_the_end(const RecordedHistory& history,
                                                  const std::vector<CallRecords>& calls) {
    std::map<std::string_view, std::size_t> ends;  // by key
    const auto key_of = [&](const CallRecords& call) -> std::string_view {
        return history.records[call.invoked].key;
    };
    for (const CallRecords& call : calls) {
        const bool waits = call.completed == kNeverCompleted && call.ended &&
                           history.records[call.invoked].f == name_of(LockCode::kAcquire) &&
                           history.records[*call.ended].error == kStillWaits;
        if (waits) {
            std::size_t& end = ends.emplace(key_of(call), *call.ended).first->second;
            end = std::min(end, *call.ended);
        }
    }
    for (const CallRecords& call : calls) {
        const auto found = ends.find(key_of(call));
        if (found == ends.end()) {
            continue;
        }
        const bool ends_after = call.completed != kNeverCompleted && call.completed > found->second;
        if (call.invoked > found->second || ends_after) {
            return RecordProblem{call.invoked > found->second ? call.invoked : call.completed,
                                 "comes after the \"still waiting\" of " +
                                     history.place_of(found->second) +
                                     ", which says that nothing more happens under its key"};
        }
    }
    return std::nullopt;
}

std::optional<RecordProblem> problem_of_ends(const KeyOperations& list,
                                             const std::set<std::uint32_t>& acquirers,
                                             bool is_only_key) {
    for (const TimedOperation& timed : list.operations) {
        const bool is_cancel = timed.operation.code == LockCode::kCancel;
        if (!is_cancel && timed.operation.code != LockCode::kClose) {
            continue;
        }
        const std::string word = is_cancel ? "cancel" : "close";
        if (list.key.empty() && !is_only_key) {
            return RecordProblem{timed.invoked,
                                 "a " + word + " says its \"key\" where other records say one"};
        }
        if (is_cancel && acquirers.count(timed.operation.owner) == 0) {
            return RecordProblem{timed.invoked, "the cancel's client \"" +
                                                    list.owners[timed.operation.owner] +
                                                    "\" makes no acquire under this key"};
        }
        if (acquirers.empty() && !is_only_key) {
            return RecordProblem{timed.invoked, "there is no acquire under the key of this close"};
        }
    }
    return std::nullopt;
}

void bind_cancels(KeyOperations& list) {
    std::map<std::uint32_t, OwnAcquires> by_owner;
    for (TimedOperation& timed : list.operations) {
        if (is_acquire(timed)) {
            by_owner[timed.operation.owner].add(timed);
        }
    }
    for (TimedOperation& timed : list.operations) {
        if (timed.operation.code == LockCode::kCancel) {
            bind(timed, by_owner[timed.operation.owner]);
        }
    }
    for (TimedOperation& timed : list.operations) {
        if (timed.operation.ttl == kUnknownNumber) {
            timed.operation.owner = 0;  // which are alike now
        }
    }
}

void add_openings(KeyOperations& list) {
    Spans closes;
    Spans judged;  // that must have a reason
    for (const TimedOperation& timed : list.operations) {
        if (timed.operation.code == LockCode::kClose) {
            closes.add(timed);
        } else if (has_end(timed, WaitEnd::kRefused) || has_end(timed, WaitEnd::kStillWaits)) {
            judged.add(timed);
        }
    }
    closes.sort();
    judged.sort();
    const std::size_t count = list.operations.size();
    for (std::size_t i = 0; i < count; ++i) {
        TimedOperation& timed = list.operations[i];
        const bool is_closed = has_end(timed, WaitEnd::kRefused) && closes.meet(timed, 0);
        const bool may_open = has_end(timed, WaitEnd::kGivenUp) || is_closed;
        if (!may_open || !judged.meet(timed, is_closed ? 1 : 0)) {
            continue;
        }
        TimedOperation opening = timed;
        opening.operation.code = LockCode::kOpen;
        opening.operation.number = timed.operation.number = static_cast<std::int64_t>(i);
        opening.invoked = timed.call();
        timed.after = list.operations.size();
        list.operations.push_back(opening);
    }
}

void set_wait(const Wait& wait, const ModelChoice& choice, TimedOperation& timed) {
    const std::string& error = wait.history.records[wait.ended].error;
    LockOperation& operation = timed.operation;
    const auto begin_at = [&](std::size_t position) {
        if (position > timed.invoked) {
            timed.called = std::exchange(timed.invoked, position);
        }
    };
    if (wait.has_failed && (error == kCancelled || error == kCanceled || error == kBroken)) {
        operation.mode = static_cast<std::uint8_t>(WaitEnd::kGivenUp);
    } else if (wait.has_failed && wait.timeout && choice.judges_timeouts) {
        const std::int64_t begun = wait.instants[timed.invoked].earliest;
        const std::int64_t over = begun + *wait.timeout - choice.clock_error;
        if (wait.instants[wait.ended].latest >= over) {
            begin_at(last_before(over, wait.instants, timed.invoked, wait.ended));
        }
    } else if (timed.completed == kNeverCompleted && error == kStillWaits) {
        operation.is_refused = true;
        operation.mode = static_cast<std::uint8_t>(WaitEnd::kStillWaits);
        timed.completed = wait.ended;
        begin_at(wait.ended - 1);
    }
}

std::optional<std::size_t> first_without_connection(const KeyOperations& list) {
    const bool are_named = std::any_of(
        list.operations.begin(), list.operations.end(), [](const TimedOperation& timed) {
            return lends(timed) && timed.operation.number != kUnknownNumber;
        });
    for (const TimedOperation& timed : list.operations) {
        const bool has_one = lends(timed) || timed.operation.code == LockCode::kRelease ||
                             timed.operation.code == LockCode::kDestroy;
        if (are_named && has_one && timed.operation.number == kUnknownNumber) {
            return timed.call();
        }
    }
    return std::nullopt;
}

void sort_by_moment(KeyOperations& list) {
    std::vector<TimedOperation>& operations = list.operations;
    std::vector<std::size_t> order(operations.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return operations[left].invoked < operations[right].invoked;
    });
    std::vector<std::size_t> places(order.size());
    std::vector<TimedOperation> sorted;
    sorted.reserve(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        places[order[place]] = place;
        sorted.push_back(operations[order[place]]);
    }
    for (TimedOperation& timed : sorted) {
        timed.after = timed.after == kNeverCompleted ? kNeverCompleted : places[timed.after];
    }
    operations = std::move(sorted);
}

}  // namespace lockkeeper
