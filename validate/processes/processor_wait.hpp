// SPDX-License-Identifier: Apache-2.0

// How long a process was ready to run and had no processor, all its life and summed over its
// threads and its descendants that live: what a busy machine, and not the program, is slow at. From
// the kernel's own count (schedstat); zero where the kernel keeps none. Used by the black-box level
// and by the wire, which accuse nobody of a time that was the machine's.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace lockkeeper {

[[nodiscard]] std::chrono::nanoseconds waited_for_processor(pid_t process);

// The time that processes have for an answer, from its making on: real time without what the one of
// their threads that had to wait longest for a processor has waited. To be asked now and then, from
// soon after the start on.
class AnswerTime {
  public:
    explicit AnswerTime(double seconds);
    [[nodiscard]] bool is_over(const std::vector<pid_t>& processes);

  private:
    std::chrono::steady_clock::time_point end_;
    std::optional<std::map<pid_t, std::chrono::nanoseconds>> before_;  // by thread
};

}  // namespace lockkeeper
