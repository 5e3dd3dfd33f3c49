// SPDX-License-Identifier: Apache-2.0

// How those fared who waited for a pool's connection, by a recorded history: how their wait ended,
// and at which moment at the earliest. Used by read_operations only.
//
//   fail                          there was a reason: at some moment of the call
//   fail, {timeout: T}, error=E   at some moment not before T - E after the call, if the call
//                                 lasted as long; else, and without E, at any
//   fail, "cancelled", "broken"   its caller gave up, or no connection could be opened: no more
//                                 reason is asked for
//   info, "still waiting"         at the end of the record, when nothing more happened
//
// A cancel ends the acquires of its client that are open. Only those that began before it are open
// for sure; the others are excused by it, and not forbidden.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "validate/histories/read_operations.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// Positions of an operation's records.
struct CallRecords {
    std::size_t invoked;
    std::size_t completed;
    std::optional<std::size_t> ended;  // the record that says how, info among them
    bool has_failed;
};

struct RecordProblem {
    std::size_t record;
    std::string message;
};

struct Wait {
    const RecordedHistory& history;
    const std::vector<TimeRange>& instants;  // by record, where time-outs are judged
    std::size_t ended;                       // the record that says how
    bool has_failed;
    std::optional<std::int64_t> timeout;  // in ticks
};

// Sets the operation's WaitEnd and the moment from which on it can have been decided.
void set_wait(const Wait& wait, const ModelChoice& choice, TimedOperation& timed);

// A record that comes after the end that a "still waiting" of its key says.
[[nodiscard]] std::optional<RecordProblem> record_after_the_end(
    const RecordedHistory& history, const std::vector<CallRecords>& calls);

// A cancel of a client that acquires nothing under the key, or one without the key that other
// records say; a close the same. `acquirers`: the owners of the key's acquires.
[[nodiscard]] std::optional<RecordProblem> problem_of_ends(const KeyOperations& list,
                                                           const std::set<std::uint32_t>& acquirers,
                                                           bool is_only_key);

// Makes what the list's cancels mean part of its acquires; called once, in the order of calls.
//   refused     its cancel is the reason: WaitEnd::kGivenUp, kWaitsCancelled
//   granted     that happened before a cancel ended that began after the call: `completed`
//   open        as much for the search: the owner's cancelled ones have numbers from 1 on (`ttl`),
//               and the cancel has the number of the last one that it ends
void bind_cancels(KeyOperations& list);

// Adds a kOpen to each acquire that got nothing and may have taken a place for a while, as for a
// connection that was being opened: its caller gave up, no connection came, or the pool was closed.
// Both have the same number. Only where another's refusal asks for a reason meanwhile.
void add_openings(KeyOperations& list);

// Either all calls that have a connection name it, or none does: the record of one that breaks
// this.
[[nodiscard]] std::optional<std::size_t> first_without_connection(const KeyOperations& list);

// Restores the order of the list after set_wait and add_openings.
void sort_by_moment(KeyOperations& list);

}  // namespace lockkeeper
