// SPDX-License-Identifier: Apache-2.0

// What a piece of work has thrown on one rank, to be thrown again on the one that has asked for it:
// as if it had been done there.
#pragma once

#include <exception>

#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

// LimitExceeded, InternalError and std::bad_alloc stay what they are, all else keeps its text.
// Nullptr: nothing was thrown.
void write_error(const std::exception_ptr& error, MessageWriter& out);
[[nodiscard]] std::exception_ptr read_error(MessageReader& in);

}  // namespace lockkeeper
