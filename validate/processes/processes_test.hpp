// SPDX-License-Identifier: Apache-2.0

// Shared by the tests of children: reading output to a line's end, and waiting for the end of any
// process without sleeping.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "validate/processes/watched_child.hpp"

namespace lockkeeper::testing_processes {

// A loaded machine is no failure.
inline constexpr int kPatienceMilliseconds = 120'000;

// A process, whoever's child it is. Must be made while the process lives.
class AnyProcess {
  public:
    explicit AnyProcess(pid_t id)
        : id_(id), end_(static_cast<int>(syscall(SYS_pidfd_open, id, 0))) {
        EXPECT_GE(end_, 0) << "process " << id << " is not there";
    }
    AnyProcess(AnyProcess&& other) noexcept : id_(other.id_), end_(std::exchange(other.end_, -1)) {}
    ~AnyProcess() {
        if (end_ >= 0) {
            ::close(end_);
        }
    }
    AnyProcess(const AnyProcess&) = delete;
    AnyProcess& operator=(const AnyProcess&) = delete;
    AnyProcess& operator=(AnyProcess&&) = delete;

    [[nodiscard]] pid_t id() const { return id_; }
    [[nodiscard]] bool ends_within(int milliseconds = kPatienceMilliseconds) const {
        pollfd wait{end_, POLLIN, 0};
        return end_ >= 0 && ::poll(&wait, 1, milliseconds) == 1;
    }

  private:
    pid_t id_;
    int end_;
};

inline pid_t parent_of(pid_t id) {
    std::ifstream file("/proc/" + std::to_string(id) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("PPid:")) {
            return std::stoi(line.substr(5));
        }
    }
    return 0;
}

// A pipe whose reading end stays in this process. The destructor closes both ends.
class Pipe {
  public:
    Pipe() { EXPECT_EQ(0, pipe2(ends_.data(), O_CLOEXEC)); }
    ~Pipe() {
        ::close(ends_[0]);
        close_writing();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] int writing() const { return ends_[1]; }
    void close_writing() {
        if (ends_[1] >= 0) {
            ::close(std::exchange(ends_[1], -1));
        }
    }
    // Returns a line without its end; if the other side has closed, what there is.
    [[nodiscard]] std::string line() {
        std::string text;
        for (char letter = 0; ::read(ends_[0], &letter, 1) == 1 && letter != '\n';) {
            text += letter;
        }
        return text;
    }
    [[nodiscard]] std::string rest() {
        std::string text;
        std::array<char, 256> buffer{};
        for (ssize_t count = 0; (count = ::read(ends_[0], buffer.data(), buffer.size())) > 0;) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

  private:
    std::array<int, 2> ends_{-1, -1};
};

inline WatchedChild::Order order_of(const std::string& command, int out, int last_signal) {
    return {{"/bin/sh", "-c", command}, {STDIN_FILENO, out, STDERR_FILENO}, "", {}, last_signal};
}

}  // namespace lockkeeper::testing_processes
