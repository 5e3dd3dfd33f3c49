// SPDX-License-Identifier: Apache-2.0

// How long a process was ready to run and had no processor, all its life and summed over its
// threads and its descendants that live: what a busy machine, and not the program, is slow at. From
// the kernel's own count (schedstat); zero where the kernel keeps none. Used by the black-box
// level, which accuses nobody of a time that was the machine's.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace lockkeeper {

[[nodiscard]] std::chrono::nanoseconds waited_for_processor(pid_t process);

}  // namespace lockkeeper
