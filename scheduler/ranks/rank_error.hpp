// SPDX-License-Identifier: Apache-2.0

// Carries an exception from the rank that did a piece of work to the rank that asked for it, which
// throws it as if the work had been done there.
#pragma once

#include <exception>

#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

// LimitExceeded, InternalError and std::bad_alloc keep their types, all else keeps its text.
// Nullptr: nothing was thrown.
void write_error(const std::exception_ptr& error, MessageWriter& out);
[[nodiscard]] std::exception_ptr read_error(MessageReader& in);

}  // namespace lockkeeper
