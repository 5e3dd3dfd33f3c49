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

// Descendants deeper than this are not looked at.
constexpr int kDepthMax = 8;

// Visits each thread of the process and its descendants, by its folder in /proc.
template <class Visit>
void each_thread(pid_t process, int depth, const Visit& visit) {
    std::error_code gone;
    const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
    for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end;
         task.increment(gone)) {
        visit(task->path());
        pid_t child = 0;
        for (std::ifstream children(task->path() / "children");
             depth < kDepthMax && children >> child;) {
            each_thread(child, depth + 1, visit);
        }
    }
}

// "1234 (a name) R 1": the name may hold anything.
bool can_run(const std::filesystem::path& folder) {
    std::string line;
    std::getline(std::ifstream(folder / "stat"), line);
    const std::size_t name_end = line.rfind(") ");
    return name_end != std::string::npos && line.compare(name_end + 2, 1, "R") == 0;
}

}  // namespace

ProcessorWaits processor_waits(const std::vector<pid_t>& processes) {
    ProcessorWaits waits;
    for (const pid_t process : processes) {
        each_thread(process, 0, [&](const std::filesystem::path& folder) {
            std::int64_t ran = 0;
            std::int64_t waited = 0;
            pid_t thread = 0;
            std::ifstream(folder / "stat") >> thread;
            if (std::ifstream(folder / "schedstat") >> ran >> waited) {
                waits[thread] = nanoseconds(waited);
            }
        });
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
    if (now <= end_) {
        return false;
    }
    const auto theirs = now - longest_wait(*before_, processor_waits(processes));
    return theirs > end_ && !may_still_wait(processes, theirs);
}

// The kernel counts a wait only when the wait ends. If a thread is ready and none has run since the
// last look, the length of its wait is unknown. If a thread has run, the count misses at most the
// time between two looks.
bool AnswerTime::may_still_wait(const std::vector<pid_t>& processes, Clock::time_point theirs) {
    constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
    bool is_ready = false;
    std::int64_t ran = 0;
    for (const pid_t process : processes) {
        each_thread(process, 0, [&](const std::filesystem::path& folder) {
            std::int64_t of_thread = 0;
            std::ifstream(folder / "schedstat") >> of_thread;
            ran += of_thread;
            is_ready = is_ready || can_run(folder);
        });
    }
    const auto now = Clock::now();
    const auto since = now - looked_at_.value_or(now);
    const bool is_due = !looked_at_ || since >= kBetweenLooks;
    const bool has_run = looked_at_ && is_due && ran != ran_then_;
    if (is_due) {
        looked_at_ = now;
        ran_then_ = ran;
    }
    return is_ready && !(has_run && theirs - since > end_);
}

}  // namespace lockkeeper
