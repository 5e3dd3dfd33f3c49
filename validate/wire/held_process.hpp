// SPDX-License-Identifier: Apache-2.0

// Asks the preloaded library whether a process is held. Used by Client for a caller, by TcpServer
// for its server.
#pragma once

#include <sys/types.h>

#include <string>

#include "validate/wire/shared_memory.hpp"

namespace lockkeeper::wire {

// The process has ended.
void free_slots_of(SharedMemory& memory, pid_t process);

// An executable of the Go toolchain, by the mark that Go's own tools look for. Its runtime asks the
// kernel for the time, also where the program uses the C library for other things.
[[nodiscard]] bool is_of_go(const std::string& path);

// The library has said that it is in the process, and it is in what the process executes now: a
// static program that has taken the place of a shell is not held. One of Go is not, either. A
// process that has ended is.
[[nodiscard]] bool is_held(const SharedMemory& memory, pid_t process);

}  // namespace lockkeeper::wire
