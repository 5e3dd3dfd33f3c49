// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/processor_wait.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace lockkeeper {
namespace {

using std::chrono::nanoseconds;

// A program that starts more than that is not looked at any deeper.
constexpr int kDepthMax = 8;

void add_waits(pid_t process, int depth, ProcessorWaits& out) {
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

}  // namespace

ProcessorWaits processor_waits(const std::vector<pid_t>& processes) {
    ProcessorWaits waits;
    for (const pid_t process : processes) {
        add_waits(process, 0, waits);
    }
    return waits;
}

nanoseconds longest_wait(const ProcessorWaits& before, const ProcessorWaits& now) {
    nanoseconds longest(0);
    for (const auto& [thread, waited] : now) {
        const auto found = before.find(thread);
        longest = std::max(longest, found == before.end() ? waited : waited - found->second);
    }
    return longest;
}

AnswerTime::AnswerTime(double seconds) {
    const auto given = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(seconds, 1e9)));
    look_from_ = Clock::now() + given / 20;
    end_ = look_from_ + (given - given / 20);
}

bool AnswerTime::is_over(const std::vector<pid_t>& processes) {
    const auto now = Clock::now();
    if (now < look_from_) {
        return false;
    }
    if (!before_) {
        end_ += now - look_from_;
        before_ = processor_waits(processes);
        return false;
    }
    return now > end_ && now - longest_wait(*before_, processor_waits(processes)) > end_;
}

}  // namespace lockkeeper
