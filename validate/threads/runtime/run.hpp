// SPDX-License-Identifier: Apache-2.0

// One run of the program, as the search says.
#pragma once

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {

enum class RunEnd : std::uint8_t { kOver, kDropped, kFound, kRefused, kDiverged, kExited };

// With the program's memory as it was when main began.
[[nodiscard]] RunEnd run_once(Hosted& host);

// Brings what was told of a complete run into an order with few switches between threads.
void order_told(Hosted& host);

}  // namespace lockkeeper::threads
