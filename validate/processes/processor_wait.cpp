// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/processor_wait.hpp"

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

}  // namespace

std::chrono::nanoseconds waited_for_processor(pid_t process) {
    return std::chrono::nanoseconds(waited(process, 0));
}

}  // namespace lockkeeper
