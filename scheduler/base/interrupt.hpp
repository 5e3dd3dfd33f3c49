// SPDX-License-Identifier: Apache-2.0

// Set by a signal handler; every search looks at it and ends with what it has.
#pragma once

namespace lockkeeper {

void request_interrupt();
void clear_interrupt();
[[nodiscard]] bool interrupt_requested();

}  // namespace lockkeeper
