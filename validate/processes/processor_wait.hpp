// SPDX-License-Identifier: Apache-2.0

// The time that threads were ready to run and had no processor: a delay by a busy machine, not by
// the program. Read from the kernel's own count (schedstat); zero where the kernel keeps none. Used
// by the black-box level and by the wire, which must not blame a program for the machine's delay.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lockkeeper {

// The wait of each thread over all its life, for living processes and their descendants.
using ProcessorWaits = std::map<pid_t, std::chrono::nanoseconds>;
[[nodiscard]] ProcessorWaits processor_waits(const std::vector<pid_t>& processes);

// The wait of the thread that waited longest from one look to the next. A sum over threads that
// wait at the same time could exceed the time that has passed.
[[nodiscard]] std::chrono::nanoseconds longest_wait(const ProcessorWaits& before,
                                                    const ProcessorWaits& now);

// The time that processes have for an answer, from its construction on: real time without their
// longest wait for a processor. Callers ask it again and again, which costs nothing until a
// twentieth has passed. Time in which nobody asks does not count against the processes.
class AnswerTime {
  public:
    explicit AnswerTime(double seconds);
    [[nodiscard]] bool is_over(const std::vector<pid_t>& processes);

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] bool may_still_wait(const std::vector<pid_t>& processes,
                                      Clock::time_point theirs);
    Clock::time_point look_from_;
    Clock::time_point end_;
    std::optional<ProcessorWaits> before_;
    // Once the time is over: the last look at the ready threads, and how long all had run by then.
    std::optional<Clock::time_point> looked_at_;
    std::int64_t ran_then_ = 0;
};

}  // namespace lockkeeper
