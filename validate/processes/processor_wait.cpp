// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/processor_wait.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace lockkeeper {
namespace {

// A program that starts more than that is not looked at any deeper.
constexpr int kDepthMax = 8;

std::int64_t waited(pid_t process, int depth) {
    std::int64_t sum = 0;
    std::error_code gone;
    const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
    for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end;
         task.increment(gone)) {
        std::int64_t ran = 0;
        std::int64_t waits = 0;
        if (std::ifstream(task->path() / "schedstat") >> ran >> waits) {
            sum += waits;
        }
        pid_t child = 0;
        for (std::ifstream children(task->path() / "children");
             depth < kDepthMax && children >> child;) {
            sum += waited(child, depth + 1);
        }
    }
    return sum;
}

std::chrono::nanoseconds waited_for_all(const std::vector<pid_t>& processes) {
    std::int64_t sum = 0;
    for (const pid_t process : processes) {
        sum += waited(process, 0);
    }
    return std::chrono::nanoseconds(sum);
}

}  // namespace

std::chrono::nanoseconds waited_for_processor(pid_t process) {
    return std::chrono::nanoseconds(waited(process, 0));
}

AnswerTime::AnswerTime(double seconds)
    : end_(std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(std::min(seconds, 1e9)))) {}

bool AnswerTime::is_over(const std::vector<pid_t>& processes) {
    if (!waited_before_) {
        waited_before_ = waited_for_all(processes);
    }
    const auto now = std::chrono::steady_clock::now();
    return now > end_ && now - (waited_for_all(processes) - *waited_before_) > end_;
}

}  // namespace lockkeeper
