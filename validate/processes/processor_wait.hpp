// SPDX-License-Identifier: Apache-2.0

// How long threads were ready to run and had no processor: what a busy machine, and not the
// program, is slow at. From the kernel's own count (schedstat); zero where the kernel keeps none.
// Used by the black-box level and by the wire, which accuse nobody of a time that was the
// machine's.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace lockkeeper {

// By thread, all its life: of processes and their descendants that live.
using ProcessorWaits = std::map<pid_t, std::chrono::nanoseconds>;
[[nodiscard]] ProcessorWaits processor_waits(const std::vector<pid_t>& processes);

// Of the thread that waited longest from one look to the next. Not the sum: of many threads that
// wait at the same time it is more than time has passed.
[[nodiscard]] std::chrono::nanoseconds longest_wait(const ProcessorWaits& before,
                                                    const ProcessorWaits& now);

// The time that processes have for an answer, from its making on: real time without their longest
// wait for a processor. To be asked again and again; until a twentieth has passed that costs
// nothing, and time in which nobody asks is not theirs.
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
    // Once the time is over: the last look at who could run, and how long all had run by then.
    std::optional<Clock::time_point> looked_at_;
    std::int64_t ran_then_ = 0;
};

}  // namespace lockkeeper
