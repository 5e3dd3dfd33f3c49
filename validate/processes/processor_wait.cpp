// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/processor_wait.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>

namespace lockkeeper {
namespace {

using std::chrono::nanoseconds;
using Waits = std::map<pid_t, nanoseconds>;

// A program that starts more than that is not looked at any deeper.
constexpr int kDepthMax = 8;

void add_waits(pid_t process, int depth, Waits& out) {
    std::error_code gone;
    const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
    for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end;
         task.increment(gone)) {
        std::int64_t ran = 0;
        std::int64_t waits = 0;
        pid_t thread = 0;
        std::ifstream(task->path() / "stat") >> thread;
        if (std::ifstream(task->path() / "schedstat") >> ran >> waits) {
            out[thread] = nanoseconds(waits);
        }
        pid_t child = 0;
        for (std::ifstream children(task->path() / "children");
             depth < kDepthMax && children >> child;) {
            add_waits(child, depth + 1, out);
        }
    }
}

Waits waits_of(const std::vector<pid_t>& processes) {
    Waits waits;
    for (const pid_t process : processes) {
        add_waits(process, 0, waits);
    }
    return waits;
}

}  // namespace

nanoseconds waited_for_processor(pid_t process) {
    const Waits waits = waits_of({process});
    return std::accumulate(waits.begin(), waits.end(), nanoseconds(0),
                           [](nanoseconds sum, const auto& one) { return sum + one.second; });
}

AnswerTime::AnswerTime(double seconds)
    : end_(std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(std::min(seconds, 1e9)))) {}

bool AnswerTime::is_over(const std::vector<pid_t>& processes) {
    if (!before_) {
        before_ = waits_of(processes);
    }
    const auto now = std::chrono::steady_clock::now();
    if (now <= end_) {
        return false;
    }
    nanoseconds longest(0);
    for (const auto& [thread, waited] : waits_of(processes)) {
        const auto before = before_->find(thread);
        longest = std::max(longest, before == before_->end() ? waited : waited - before->second);
    }
    return now - longest > end_;
}

}  // namespace lockkeeper
