// SPDX-License-Identifier: Apache-2.0

// Processes and directories that end with this process, however it ends, SIGKILL included.
//
// With the first of them this process forks a watcher, which lives as long as this process does.
//   - The watcher starts the children, so they are its children and not those of this process. It
//     is a subreaper: a descendant whose parent has ended becomes its child, whatever session or
//     group that descendant has gone to.
//   - The watcher holds the other end of a socket and a descriptor of this process. When this
//     process has ended it sends each child its last signal, gives those that do not end by SIGKILL
//     kLastSignalSeconds, kills its children until none is left, removes the directories, and ends.
//   - The watcher has a session of its own and blocks all signals: Ctrl-C, a closed terminal and a
//     signal to the process group do not reach it. Its name is "lk-watcher".
//   - Where the watcher itself is killed, the kernel sends its children their last signal.
// Leaving main() or calling exit() waits until the watcher has done its work.
//
// Two kinds of processes survive: those that this process may not signal (a set-user-ID program as
// another user), and, where the watcher is killed too, those that are no direct children of it.
//
// A child gets the three streams that it is given and no other descriptor, this process's
// environment, no blocked signal and no ignored one, and leads a process group of its own. Used by
// ChildProcess and PrivateServer. Any thread may call. After fork() the new process has children
// and a watcher of its own.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockkeeper {

// The most at a time; more are refused with std::system_error.
inline constexpr std::size_t kWatchedChildrenMax = 256;
inline constexpr std::size_t kWatchedDirectoriesMax = 32;
// The time for a child to handle its last signal, as PostgreSQL does with SIGQUIT.
inline constexpr int kLastSignalSeconds = 5;
// The time for which the watcher kills children, should they start new ones all the time.
inline constexpr int kKillingSeconds = 20;

class WatchedChild {
  public:
    struct User {
        uid_t user = 0;
        gid_t group = 0;
    };
    struct Order {
        std::vector<std::string> command;  // its first word is the path of the program
        std::array<int, 3> streams{};      // become 0, 1 and 2; the caller closes his own
        std::string directory;             // empty: this process's
        std::optional<User> user;          // needs root
        int last_signal;                   // when this process has ended
    };
    // Returns when the program runs. Throws std::system_error if it cannot be run.
    explicit WatchedChild(const Order& order);
    // Kills the child.
    ~WatchedChild();
    WatchedChild(const WatchedChild&) = delete;
    WatchedChild& operator=(const WatchedChild&) = delete;

    // The number belongs to this child until kill() has returned.
    [[nodiscard]] pid_t id() const { return id_; }
    // How it ended, as waitpid() says it; nothing while it runs. Does not wait. Throws
    // std::runtime_error where the watcher has been killed.
    [[nodiscard]] std::optional<int> status();
    // Does nothing if the child has ended.
    void signal(int number) const noexcept;
    // Sends SIGKILL to the group, which its processes may have left; returns how the child ended.
    int kill() noexcept;

  private:
    pid_t id_ = -1;
    std::uint64_t watcher_ = 0;
    int told_ = -1;
    bool is_over_ = false;
    std::optional<int> status_;
};

// An empty directory with an unpredictable name that only this user can read.
class WatchedDirectory {
  public:
    // `beginning`: the path without the random end. Throws std::system_error.
    explicit WatchedDirectory(const std::string& beginning);
    // Removes it with all that is in it.
    ~WatchedDirectory();
    WatchedDirectory(const WatchedDirectory&) = delete;
    WatchedDirectory& operator=(const WatchedDirectory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
    std::uint64_t watcher_ = 0;
};

}  // namespace lockkeeper
