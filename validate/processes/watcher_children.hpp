// SPDX-License-Identifier: Apache-2.0

// The watcher's children: programs that it was asked to start, and orphans of theirs that the
// kernel has given to it. Asks for no memory.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>

#include "validate/processes/watched_child.hpp"
#include "validate/processes/watcher_messages.hpp"

namespace lockkeeper::watcher_detail {

// The descriptors with which a program is started.
using PassedDescriptors = std::array<int, kPassedCount>;

// The child, or -1 with `error` set. The descriptors stay open.
[[nodiscard]] pid_t start_program(const Question& question, const PassedDescriptors& passed,
                                  int& error) noexcept;
// Runs `program` (a path) with a null-ended list of arguments and no environment; the same result.
[[nodiscard]] pid_t start_simply(const char* program, char* const* arguments) noexcept;

class WatcherChildren {
  public:
    [[nodiscard]] bool has_room() const noexcept { return count_ < programs_.size(); }
    // `told` gets the wait status when the program has ended, and is closed then.
    void add(pid_t id, int last_signal, int told) noexcept;
    // Sends a signal to the program only. Returns the error, or 0.
    [[nodiscard]] int send(pid_t id, int signal) noexcept;
    // Kills the program and its group. False: there is none with this number.
    [[nodiscard]] bool end(pid_t id, int& status) noexcept;
    // After SIGCHLD: reports the ends of programs, and reaps orphans that have ended.
    void look() noexcept;
    // Sends the last signals, then SIGKILL until no child is left or the time is over. `sleep`
    // returns after SIGCHLD, or a moment later.
    void end_all(void (*sleep)()) noexcept;

  private:
    struct Program {
        pid_t id = 0;
        int last_signal = 0;
        int told = -1;  // closed (-1) once told
    };
    [[nodiscard]] bool is_program(pid_t id) const noexcept;
    [[nodiscard]] bool is_one_with_time_left() const noexcept;

    std::array<Program, kWatchedChildrenMax> programs_{};
    std::size_t count_ = 0;
};

}  // namespace lockkeeper::watcher_detail
