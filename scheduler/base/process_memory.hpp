// SPDX-License-Identifier: Apache-2.0

// How much memory this process has, and how much it may have: of the machine, and of the control
// group that it runs in (cgroup v1 and v2). Linux; elsewhere nothing is known, and nothing limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace lockkeeper {

// Resident bytes of the process now; 0: unknown.
[[nodiscard]] std::uint64_t resident_bytes();

// The least limit of the control groups that the process is in, whichever version; UINT64_MAX:
// none. `root`: where /proc and /sys are (another one in tests).
[[nodiscard]] std::uint64_t control_group_bytes(const std::filesystem::path& root = "/");

// The default limit of a search: three quarters of the machine or of the control group, whichever
// is less. To end with a partial result is better than to be killed.
[[nodiscard]] std::uint64_t memory_default();

// A limit on what the whole process has. The program itself takes some ten megabytes: a limit below
// kLeast is none, and only what is stored counts.
class ProcessLimit {
  public:
    static constexpr std::uint64_t kLeast = std::uint64_t{64} << 20U;

    explicit ProcessLimit(std::uint64_t bytes_max);
    // For whoever does not count what it stores: of a limit below kLeast, what the process takes
    // beyond what it has now.
    [[nodiscard]] static ProcessLimit from_now_on(std::uint64_t bytes_max);

    // True, too, when one more step as large as the largest between two questions would exceed it:
    // tables grow in steps. Asks the system a hundred times a second at most.
    [[nodiscard]] bool is_exceeded();

  private:
    using Clock = std::chrono::steady_clock;

    std::uint64_t bytes_max_;
    std::uint64_t bytes_ = 0;  // when last asked
    std::uint64_t largest_step_ = 0;
    Clock::time_point asked_{};
};

}  // namespace lockkeeper
