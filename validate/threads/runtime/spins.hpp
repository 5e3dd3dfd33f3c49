// SPDX-License-Identifier: Apache-2.0

// Loops that wait, as the host of a run recognises them.
#pragma once

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {

// A number of all that its own registers and stack say of the thread's next steps.
[[nodiscard]] std::uint64_t state_of(const Fiber& fiber);

// The thread asks for an access where it was before, and has changed nothing since. `result` is
// then 1 in a request that is no spin, or one more than the loads of the loop.
[[nodiscard]] bool is_spinning(Hosted& host, Thread thread, Request& request);

// The load of the loop is taken back: the request is that load again.
void begin_loop_again(Fiber& fiber, Request& request);

// The thread waits at a value that only leads back to where it is, as it did before; else it
// decides.
struct OrSpin {
    Search::Decide decide;  // null: leaves the value
    const void* context;
    const Fiber* fiber;
};
[[nodiscard]] Change decide_or_spin(std::uint64_t value, const void* or_spin);

}  // namespace lockkeeper::threads
