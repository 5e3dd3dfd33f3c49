// SPDX-License-Identifier: Apache-2.0

// The numbers and names in an operation's value, and what numbers follow from the others of a
// list. Used by read_operations only.
#pragma once

#include <optional>
#include <string>

#include "validate/histories/read_operations.hpp"
#include "validate/histories/recorded.hpp"
#include "validate/histories/sequential_model.hpp"
#include "validate/histories/tag_names.hpp"

namespace lockkeeper {

struct OperationValues {
    std::optional<std::int64_t> token, permits, capacity;
    std::optional<std::int64_t> ttl, timeout;  // in ticks of the history's times
    std::optional<std::string> owner, tag, mode, connection;
    std::optional<std::int64_t> invalid_token;  // of the model; it may be below 0
    std::int64_t ticks_per_unit = 1;            // of the history
};

// A text where the model has a number: who calls, perhaps (validate/histories/owner_names.hpp).
[[nodiscard]] bool is_text_for_number(const Datum& value, ValueMeaning bare);

// Adds what the record says to what is known. Names that mean nothing are passed over. Throws
// DatumProblem.
void add_values(const Datum& value, ValueMeaning bare, OperationValues& values);

[[nodiscard]] std::optional<LockCode> code_of(const std::string& f);

// Sets the operation's numbers from its values. Returns what is wrong with the values, or nothing.
[[nodiscard]] std::string set_numbers(const SequentialModel& model, const TagNames& tags,
                                      const OperationValues& values, LockOperation& operation);

// Tells a model that only counts how much an exit can give back: all that the process may have
// acquired and has not begun to release. An acquire without a known end may have happened; a
// release that may not have happened can be placed after the exit, too.
void count_exits(KeyOperations& list);

// Marks the effects that have the token of a grant.
void mark_granted(KeyOperations& list);

}  // namespace lockkeeper
