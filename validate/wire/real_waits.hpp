// SPDX-License-Identifier: Apache-2.0

// Waits that end by themselves, in real time: of a thread that has asked the kernel past the C
// library, so that the preloaded library has not seen the time limit.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper::wire {

// The call of a line of /proc/PID/syscall, where it has a time limit; empty: it has none, or
// nobody knows. "202 0x7f0 0x89 0x0 0x7ffc 0x0 0x0 0x7ffd 0x7f1" is "futex".
[[nodiscard]] std::string timed_call(std::string_view line);

// The first such call of a thread of these processes; empty: there is none that the kernel shows.
[[nodiscard]] std::string timed_call_of(const std::vector<pid_t>& processes);

}  // namespace lockkeeper::wire
