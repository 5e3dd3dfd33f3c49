// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "model/check.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndGrace{500};
// The longest wait without a look at the time limit and at interrupts.
constexpr milliseconds kSlice{50};
// A set of texts in Python has one order in each process, where its user has not chosen otherwise.
constexpr const char* kSameHashes = "export PYTHONHASHSEED=\"${PYTHONHASHSEED:-0}\"; ";

[[noreturn]] void cannot(const std::string& what, int error) {
    throw Misbehaved(Misbehaviour::kCannotStart, what + ": " + std::strerror(error));
}

void make_pipe(std::array<int, 2>& ends) {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        cannot("a pipe cannot be made", errno);
    }
}

// write() without SIGPIPE, whatever the process has set for it.
ssize_t write_quietly(int descriptor, std::string_view text) {
    sigset_t pipe_signal;
    sigset_t before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    const int error = errno;
    if (written < 0 && error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
        const timespec now{};
        while (sigtimedwait(&pipe_signal, nullptr, &now) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return written;
}

// The time-out for poll() in milliseconds: at most kSlice, so that no StopRule takes effect late.
int slice_until(Moment deadline, Moment now) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - now).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, kSlice.count()));
}

}  // namespace

// A shell that waits for the command would keep its pipes open, and a closed stdin or stdout would
// not be seen. Where the command is one program, the shell is replaced by it.
std::string replacing_shell(const std::string& command) {
    constexpr std::array<std::string_view, 8> kOfTheShell{"exec", "exit", "cd",   "eval",
                                                          "set",  "kill", "test", "."};
    const std::string first = command.substr(0, command.find(' '));
    const bool is_program =
        command.find_first_of(";&|(){}`\n") == std::string::npos &&
        first.find('=') == std::string::npos &&
        std::find(kOfTheShell.begin(), kOfTheShell.end(), first) == kOfTheShell.end();
    return is_program ? "exec " + command : command;
}

void ChildProcess::check_time(const StopRule& rule) {
    if ((rule.at_interrupt && interrupt_requested()) || SteadyClock::now() >= rule.at) {
        throw Stopped();
    }
}

ChildProcess::ChildProcess(const std::string& command) {
    std::array<std::array<int, 2>, 3> ends{{{-1, -1}, {-1, -1}, {-1, -1}}};
    const auto close_all = [&] {
        for (const auto& pair : ends) {
            for (const int end : pair) {
                if (end >= 0) {
                    ::close(end);
                }
            }
        }
    };
    try {
        for (auto& pair : ends) {
            make_pipe(pair);
        }
        child_ = std::make_unique<WatchedChild>(
            WatchedChild::Order{{"/bin/sh", "-c", kSameHashes + replacing_shell(command)},
                                {ends[kIn][0], ends[kOut][1], ends[kErr][1]},
                                "",
                                std::nullopt,
                                SIGKILL});
    } catch (const std::system_error& error) {
        close_all();
        throw Misbehaved(Misbehaviour::kCannotStart,
                         std::string("sh cannot be run: ") + error.what());
    } catch (...) {
        close_all();
        throw;
    }
    pipes_ = {ends[kIn][1], ends[kOut][0], ends[kErr][0]};
    ends[kIn][1] = ends[kOut][0] = ends[kErr][0] = -1;
    close_all();
    for (const int descriptor : pipes_) {
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    }
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::kill() {
    child_->kill();
    is_running_ = false;
    for (const Pipe pipe : {kIn, kOut, kErr}) {
        close(pipe);
    }
}

void ChildProcess::close(Pipe pipe) {
    if (pipes_[pipe] >= 0) {
        ::close(pipes_[pipe]);
        pipes_[pipe] = -1;
    }
}

std::string ChildProcess::how_it_ended() {
    const Moment deadline = SteadyClock::now() + kEndGrace;
    // Waits in small steps, because a closed pipe ends each wait for the others at once.
    std::optional<int> ended;
    while (!(ended = child_->status()) && SteadyClock::now() < deadline) {
        std::string_view nothing;
        transfer(nothing, std::min(deadline, SteadyClock::now() + milliseconds(5)));
    }
    read_all_output();
    read_stderr();
    kill();
    if (!ended) {
        return "";
    }
    if (WIFSIGNALED(*ended)) {
        return "ended by signal " + std::to_string(WTERMSIG(*ended));
    }
    return "ended with exit status " + std::to_string(WEXITSTATUS(*ended));
}

// Reads all that the child has written before its end, so that nothing is lost.
void ChildProcess::read_all_output() {
    pollfd wait{pipes_[kOut], POLLIN, 0};
    for (std::uint64_t before = stdout_bytes_ + 1;
         pipes_[kOut] >= 0 && stdout_bytes_ != before && ::poll(&wait, 1, 0) > 0;) {
        before = stdout_bytes_;
        read_output();
    }
}

void ChildProcess::read_output() {
    constexpr std::size_t kBytesAtOnce = 16384;
    std::array<char, kBytesAtOnce> buffer;
    const ssize_t count = ::read(pipes_[kOut], buffer.data(), kBytesAtOnce);
    if (count == 0) {
        close(kOut);
    } else if (count > 0) {
        pending_.append(buffer.data(), static_cast<std::size_t>(count));
        stdout_bytes_ += static_cast<std::uint64_t>(count);
        if (pending_.size() > kPendingBytesMax) {
            throw Misbehaved(Misbehaviour::kFlooded, "more than 1 MiB that nobody asked for");
        }
    }
}

void ChildProcess::read_stderr() {
    std::array<char, 4096> buffer;
    for (int i = 0; i < 16 && pipes_[kErr] >= 0; ++i) {
        const ssize_t count = ::read(pipes_[kErr], buffer.data(), buffer.size());
        if (count == 0) {
            close(kErr);
        }
        if (count <= 0) {
            return;
        }
        stderr_.append(buffer.data(), static_cast<std::size_t>(count));
        stderr_bytes_ += static_cast<std::uint64_t>(count);
        if (stderr_.size() > kStderrBytesKept) {
            stderr_.erase(0, stderr_.size() - kStderrBytesKept);
        }
        if (stderr_bytes_ > kStderrBytesMax) {
            throw Misbehaved(Misbehaviour::kFlooded, "more than 64 MiB on stderr");
        }
    }
}

bool ChildProcess::write_some(std::string_view& text) {
    const ssize_t count = write_quietly(pipes_[kIn], text);
    if (count >= 0) {
        text.remove_prefix(static_cast<std::size_t>(count));
        return true;
    }
    if (errno == EPIPE) {
        close(kIn);
        return false;
    }
    return errno == EAGAIN || errno == EINTR;
}

void ChildProcess::wait_for_any(const std::vector<ChildProcess*>& children, Moment deadline) {
    std::vector<pollfd> waits;
    for (const ChildProcess* child : children) {
        check_time(child->stop_);
        if (child->pending_.find('\n') != std::string::npos || child->pipes_[kOut] < 0) {
            return;
        }
        waits.push_back({child->pipes_[kOut], POLLIN, 0});
        waits.push_back({child->pipes_[kErr], POLLIN, 0});
    }
    const Moment now = SteadyClock::now();
    const int timeout = slice_until(deadline, now);
    if (::poll(waits.data(), waits.size(), timeout) == 0) {
        for (ChildProcess* child : children) {
            // With half a line pending, nobody would know when its rest has come.
            child->quiet_until_ =
                child->pending_.empty() ? now + milliseconds(timeout) : child->quiet_until_;
        }
    }
}

void ChildProcess::transfer(std::string_view& to_write, Moment deadline) {
    check_time(stop_);
    std::array<pollfd, 3> waits{};
    for (const Pipe pipe : {kIn, kOut, kErr}) {
        waits[pipe] = {pipes_[pipe], static_cast<short>(pipe == kIn ? POLLOUT : POLLIN), 0};
    }
    if (to_write.empty()) {
        waits[kIn].fd = -1;
    }
    const Moment now = SteadyClock::now();
    const int timeout = slice_until(deadline, now);
    const int ready = ::poll(waits.data(), waits.size(), timeout);
    if (ready == 0 && pending_.empty()) {  // the kernel looks once more at the end of its wait
        quiet_until_ = now + milliseconds(timeout);
    }
    if (ready <= 0) {
        return;
    }
    if (pipes_[kOut] >= 0 && waits[kOut].revents != 0) {
        read_output();
    }
    if (pipes_[kErr] >= 0 && waits[kErr].revents != 0) {
        read_stderr();
    }
    if (waits[kIn].fd >= 0 && waits[kIn].revents != 0 && !write_some(to_write)) {
        throw Misbehaved(Misbehaviour::kDeaf, "stdin is closed");
    }
}

void ChildProcess::write_line(std::string_view line, Moment deadline) {
    LOCKKEEPER_CHECK(is_running_ && line.find('\n') == std::string_view::npos);
    std::string text(line);
    text += '\n';
    std::string_view rest = text;
    if (pipes_[kIn] < 0) {
        throw Misbehaved(Misbehaviour::kDeaf, "stdin is closed");
    }
    try {
        // Nearly always, the first write takes the whole line.
        if (!write_some(rest)) {
            throw Misbehaved(Misbehaviour::kDeaf, "stdin is closed");
        }
        while (!rest.empty()) {
            if (SteadyClock::now() >= deadline) {
                throw Misbehaved(Misbehaviour::kHung, "does not read its stdin");
            }
            transfer(rest, deadline);
        }
    } catch (const Misbehaved& error) {
        if (error.kind() != Misbehaviour::kDeaf) {
            throw;
        }
        // A process that has ended does not listen either, and its end says more.
        const std::string end = how_it_ended();
        if (end.empty()) {
            throw;
        }
        throw Misbehaved(Misbehaviour::kDied, end);
    }
}

bool ChildProcess::take_line(std::string& line) {
    const std::size_t end = pending_.find('\n', searched_);
    if (end == std::string::npos) {
        searched_ = pending_.size();
        if (pending_.size() > kLineBytesMax) {
            throw Misbehaved(Misbehaviour::kFlooded, "a line of more than 64 KiB, which begins " +
                                                         quoted_piece(pending_, 40));
        }
        return false;
    }
    if (end > kLineBytesMax) {
        throw Misbehaved(Misbehaviour::kFlooded,
                         "a line of more than 64 KiB, which begins " + quoted_piece(pending_, 40));
    }
    line.assign(pending_, 0, end);
    pending_.erase(0, end + 1);
    searched_ = 0;
    return true;
}

ChildProcess::Read ChildProcess::read_line(std::string& line, Moment deadline) {
    LOCKKEEPER_CHECK(is_running_);
    std::string_view nothing;
    for (;;) {
        if (take_line(line)) {
            return Read::kLine;
        }
        if (pipes_[kOut] < 0) {
            const std::string end = how_it_ended();
            throw Misbehaved(Misbehaviour::kDied, end.empty() ? "stdout was closed" : end);
        }
        const bool late = SteadyClock::now() >= deadline;
        transfer(nothing, deadline);
        if (late && pending_.size() == searched_ && pipes_[kOut] >= 0) {
            return Read::kNothingYet;
        }
    }
}

}  // namespace lockkeeper
