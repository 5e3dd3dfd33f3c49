// SPDX-License-Identifier: Apache-2.0

// This process's side of its watcher: starts it when it is needed first, asks it, and waits for it
// at exit(). One question at a time; any thread may ask. Errors: std::system_error. The watcher's
// side is run_watcher.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

#include "validate/processes/watcher_messages.hpp"

namespace lockkeeper::watcher_detail {

using Descriptors = std::array<int, kPassedCount>;

struct Answered {
    Reply reply;
    std::string path;
    std::uint64_t watcher = 0;  // the watcher that answered
};

class WatcherLink {
  public:
    // The link of this process: a process that was forked off has its own.
    static WatcherLink& own();

    WatcherLink() = default;
    WatcherLink(const WatcherLink&) = delete;
    WatcherLink& operator=(const WatcherLink&) = delete;

    // Starts the watcher if there is none. Throws a reply with an error, named by `what`.
    [[nodiscard]] Answered ask(const Question& question, const std::string& path,
                               const Descriptors* descriptors, const char* what);
    // Asks only this very watcher. False: there is another watcher now, or it does not answer.
    [[nodiscard]] bool ask_only(std::uint64_t watcher, const Question& question,
                                const std::string& path, Reply& reply) noexcept;
    // Returns when the watcher has ended everything, and itself.
    void end() noexcept;
    // Called in a process that was forked off.
    void forget() noexcept;

  private:
    void start();
    void lose() noexcept;
    [[nodiscard]] bool exchange(const Question& question, const std::string& path,
                                const Descriptors* descriptors, Packet<Reply>& reply) noexcept;

    std::mutex mutex_;
    int socket_ = -1;
    pid_t process_ = -1;
    std::uint64_t watcher_ = 0;  // counts those that were started
};

// Called in the child right after fork(), with all signals blocked. `watched` has forked it.
// Between fork() and its end it calls only what is safe in a signal handler, because the process
// that forked may have had other threads: no memory is asked for, nothing is thrown. It has one
// thread.
[[noreturn]] void run_watcher(int socket, pid_t watched) noexcept;

}  // namespace lockkeeper::watcher_detail
