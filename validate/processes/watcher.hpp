// SPDX-License-Identifier: Apache-2.0

// The watcher's side. Between fork() and its end it calls only what is safe in a signal handler,
// because the process that forked may have had other threads: no memory is asked for, nothing is
// thrown. It has one thread.
#pragma once

#include <sys/types.h>

namespace lockkeeper::watcher_detail {

// Called in the child right after fork(), with all signals blocked. `watched` has forked it.
[[noreturn]] void run_watcher(int socket, pid_t watched) noexcept;

}  // namespace lockkeeper::watcher_detail
