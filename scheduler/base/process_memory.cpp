// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/process_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

// "max", and what is no number: no limit. So is what version 1 writes for none, almost 2^63.
std::optional<std::uint64_t> limit_in(const fs::path& file) {
    std::ifstream in(file);
    std::string text;
    if (!(in >> text)) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

// A group is also held to the limits of the groups around it.
std::uint64_t least_limit(const fs::path& hierarchy, std::string group, const char* file) {
    std::uint64_t least = UINT64_MAX;
    for (;;) {
        const fs::path directory = group.empty() ? hierarchy : hierarchy / group;
        least = std::min(least, limit_in(directory / file).value_or(UINT64_MAX));
        if (group.empty()) {
            return least;
        }
        const std::size_t slash = group.rfind('/');
        group.resize(slash == std::string::npos ? 0 : slash);
    }
}

bool names_memory(const std::string& controllers) {
    return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

std::uint64_t machine_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || page_bytes <= 0) {
        return UINT64_MAX;
    }
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace

std::uint64_t resident_bytes() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    const long page_bytes = sysconf(_SC_PAGE_SIZE);
    return in >> size >> resident && page_bytes > 0
               ? resident * static_cast<std::uint64_t>(page_bytes)
               : 0;
}

// Lines such as `0::/user.slice/a` (version 2) and `7:cpu,memory:/docker/b` (version 1). Inside a
// container the group that is named may not be visible, and the hierarchy begins at its own.
std::uint64_t control_group_bytes(const fs::path& root) {
    std::ifstream in(root / "proc/self/cgroup");
    std::uint64_t least = UINT64_MAX;
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string group = line.substr(second + 1);
        group.erase(0, group.find_first_not_of('/'));
        if (controllers.empty()) {
            for (const char* hierarchy : {"sys/fs/cgroup", "sys/fs/cgroup/unified"}) {
                least = std::min(least, least_limit(root / hierarchy, group, "memory.max"));
            }
        } else if (names_memory(controllers)) {
            least = std::min(
                least, least_limit(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
        }
    }
    return least;
}

std::uint64_t memory_default() {
    const std::uint64_t most = std::min(machine_bytes(), control_group_bytes());
    return most == UINT64_MAX ? most : most / 4 * 3;
}

ProcessLimit::ProcessLimit(std::uint64_t bytes_max)
    : bytes_max_(bytes_max >= kLeast ? bytes_max : UINT64_MAX) {
    if (bytes_max_ != UINT64_MAX) {
        bytes_ = resident_bytes();
    }
}

ProcessLimit ProcessLimit::from_now_on(std::uint64_t bytes_max) {
    ProcessLimit limit(bytes_max);
    if (bytes_max < kLeast) {
        limit.bytes_ = resident_bytes();
        limit.bytes_max_ = limit.bytes_ + bytes_max;
    }
    return limit;
}

bool ProcessLimit::is_exceeded() {
    constexpr std::chrono::milliseconds kBetween{10};
    const Clock::time_point now = Clock::now();
    if (bytes_max_ == UINT64_MAX || now - asked_ < kBetween) {
        return false;
    }
    asked_ = now;
    const std::uint64_t bytes = resident_bytes();
    largest_step_ = std::max(largest_step_, bytes > bytes_ ? bytes - bytes_ : 0);
    bytes_ = bytes;
    return bytes + largest_step_ > bytes_max_;
}

}  // namespace lockkeeper
