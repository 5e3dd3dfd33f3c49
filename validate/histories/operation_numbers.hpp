// SPDX-License-Identifier: Apache-2.0

// The numbers of an operation, as its model wants them: from its values, and from the rest of the
// list. Used by read_operations only.
#pragma once

#include <string>

#include "validate/histories/operation_values.hpp"
#include "validate/histories/read_operations.hpp"
#include "validate/histories/tag_names.hpp"

namespace lockkeeper {

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
