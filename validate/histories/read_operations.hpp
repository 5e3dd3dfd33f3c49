// SPDX-License-Identifier: Apache-2.0

// From records to operations: each invocation with its completion, values made into numbers, one
// list a key. Called by check_history; tests build lists by hand.
//
// Left out: failed operations (unless refusals are judged). Open for ever: those that ended with
// info, or never. An exit without a key is one of every key, without a client one of all clients
// its process named before. Where the model knows no owners its amount is the most they can hold.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "validate/histories/recorded.hpp"
#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {

inline constexpr std::size_t kNeverCompleted = std::numeric_limits<std::size_t>::max();

struct TimedOperation {
    LockOperation operation;
    // Positions of the records; they say what came before what.
    std::size_t invoked = 0;
    std::size_t completed = kNeverCompleted;
    // An operation of the list that its process did before, where the records do not show that
    // order; else none.
    std::size_t after = kNeverCompleted;
    // The caller, also where the model ignores owners. A position in `owners`.
    std::uint32_t owner = 0;
    // Where the call came before the earliest moment at which the operation can have happened,
    // which is `invoked`: the call; else none.
    std::size_t called = kNeverCompleted;
    [[nodiscard]] std::size_t call() const { return called == kNeverCompleted ? invoked : called; }
    // Where the answer came after the latest moment at which the operation can have happened,
    // which is `completed`: the answer; else none.
    std::size_t answered = kNeverCompleted;
    [[nodiscard]] std::size_t answer() const {
        return answered == kNeverCompleted ? completed : answered;
    }
};

// In the order of their invocations.
struct KeyOperations {
    std::string key;
    std::vector<TimedOperation> operations;
    std::vector<std::string> owners;  // names
};

// Without the acquires that were refused.
[[nodiscard]] KeyOperations without_refused(const KeyOperations& list);

// Keys in the order in which they first appear. A key with nothing to judge is there, and empty.
[[nodiscard]] std::variant<std::vector<KeyOperations>, HistoryError> read_operations(
    const RecordedHistory& history, const SequentialModel& model);

}  // namespace lockkeeper
