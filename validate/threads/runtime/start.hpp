// SPDX-License-Identifier: Apache-2.0

// How exploring begins: for a program whose main is the test, and for a test within a program.
#pragma once

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {

// With these settings, over which go those of the variable LOCKKEEPER_THREADS.
[[nodiscard]] Hosted& make_host(const char* settings);
// The program calls explore_threads() itself, and is not in it: it runs as always, with one thread.
[[nodiscard]] bool is_ordinary_program();
// Sends what the program prints to nowhere: it would be there once for each execution.
void silence();
// Refuses what cannot be hosted; else explores. The verdict as an exit code.
[[nodiscard]] int look_and_explore(Hosted& host);

}  // namespace lockkeeper::threads
