// SPDX-License-Identifier: Apache-2.0

// A child process with which the harness talks line by line: `sh -c COMMAND` (a simple command
// replaces the shell) in its own process group, with pipes at its stdin, stdout and stderr. Used by
// Program only.
//
// Why not Boost.Process: Debian's 1.74 needs the compiled Boost.Filesystem and Boost.System beside
// the headers, its lines with time-outs need Asio, and a group that is killed as a whole is native
// code there, too. posix_spawn and poll are enough.
//
// Never hangs: each call ends by its deadline, and earlier with Stopped where its StopRule says so.
// Never leaves anything behind: the destructor kills the group and waits for the child. Writing to
// a child that has ended raises no SIGPIPE. Limits: a line has at most kLineBytesMax bytes without
// its end, and at most kPendingBytesMax wait to be read. A child may write kStderrBytesMax to
// stderr; the last kStderrBytesKept are kept.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "validate/outside/misbehaviour.hpp"
#include "validate/outside/stop_rule.hpp"
#include "validate/processes/watched_child.hpp"

namespace lockkeeper {

inline constexpr std::size_t kLineBytesMax = 64U << 10U;
inline constexpr std::size_t kPendingBytesMax = 1U << 20U;
inline constexpr std::size_t kStderrBytesKept = 4U << 10U;
inline constexpr std::uint64_t kStderrBytesMax = 64U << 20U;

// The command for `sh -c`, with "exec" before it if it is one program.
[[nodiscard]] std::string replacing_shell(const std::string& command);

class ChildProcess {
  public:
    // Throws Misbehaved(kCannotStart) where not even `sh` can be run.
    explicit ChildProcess(const std::string& command);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    // Adds the line's end. Throws Misbehaved: kDeaf, kDied, kHung, kFlooded.
    void write_line(std::string_view line, Moment deadline);

    enum class Read : std::uint8_t { kLine, kNothingYet };
    // kNothingYet at the deadline. Throws Misbehaved: kDied (with how it ended), kFlooded.
    [[nodiscard]] Read read_line(std::string& line, Moment deadline);

    // After kDied: the lines that it had written and nobody has read.
    [[nodiscard]] bool line_left(std::string& line) { return take_line(line); }

    // Returns when a child can be read or has ended, at the deadline, or earlier.
    static void wait_for_any(const std::vector<ChildProcess*>& children, Moment deadline);
    // At this moment stdout had nothing to read: all that is read later was written later.
    [[nodiscard]] Moment quiet_until() const { return quiet_until_; }

    void stop_by(const StopRule& rule) { stop_ = rule; }
    // Throws Stopped once the rule says so.
    static void check_time(const StopRule& rule);

    // Sends SIGKILL to the whole group and waits for the child. Its unread output is lost.
    void kill();

    // The last lines on stderr, as they came.
    [[nodiscard]] const std::string& last_words() const { return stderr_; }
    // The bytes received from stdout and stderr, whole lines or not.
    [[nodiscard]] std::uint64_t written_bytes() const { return stdout_bytes_ + stderr_bytes_; }
    [[nodiscard]] pid_t id() const { return child_->id(); }

  private:
    enum Pipe : std::size_t { kIn, kOut, kErr };

    // Moves bytes until the deadline or until something was moved, or for one slice of waiting.
    void transfer(std::string_view& to_write, Moment deadline);
    void read_output();
    void read_all_output();
    void read_stderr();
    [[nodiscard]] bool write_some(std::string_view& text);
    void close(Pipe pipe);
    // The child's end in words, nothing where it goes on living: waits a moment, then kills.
    [[nodiscard]] std::string how_it_ended();
    [[nodiscard]] bool take_line(std::string& line);

    StopRule stop_;
    std::unique_ptr<WatchedChild> child_;
    bool is_running_ = true;  // as far as nobody has killed it
    std::array<int, 3> pipes_{-1, -1, -1};
    std::string pending_;
    Moment quiet_until_ = Moment::min();
    std::size_t searched_ = 0;  // of pending_, without a line's end
    std::string stderr_;
    std::uint64_t stdout_bytes_ = 0;
    std::uint64_t stderr_bytes_ = 0;
};

}  // namespace lockkeeper
