// SPDX-License-Identifier: Apache-2.0

// Whether the processes of a caller are all asleep: exactly, from outside, and with every thread.
//
// The kernel says of each thread how often it has been switched away from, and where it is blocked:
// its wait channel. Its state alone says too little: a thread that is about to sleep, or that reaps
// a child, has the state of a sleeper, works, and may be preempted in the middle of it.
//
// All threads are looked at twice. Who is blocked at the second look, with the number of switches
// that the first one saw, was blocked throughout: to work and to be blocked again takes a switch.
// So all were blocked at the moment between the two rounds. (At the second look the wait channel is
// read first: a switch after it is seen in the number.) Nobody wakes then by himself: waits with a
// time limit are held by the preloaded library, and everything else that could wake somebody is the
// harness. Processes that began meanwhile are found in the lists of children between the two
// rounds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

namespace lockkeeper::wire {

// False: this kernel, or who restricts it, keeps to itself where a thread is blocked.
[[nodiscard]] bool shows_wait_channels();

class TaskStates {
  public:
    TaskStates() = default;
    ~TaskStates();
    TaskStates(const TaskStates&) = delete;
    TaskStates& operator=(const TaskStates&) = delete;

    // These processes, their children and theirs. Those that have ended do not count.
    [[nodiscard]] bool all_sleep(const std::vector<pid_t>& roots);
    // Also where its parent has not heard of it yet.
    [[nodiscard]] bool has_ended(pid_t process);
    // Those of them that live, the roots first.
    [[nodiscard]] std::vector<pid_t> descendants(const std::vector<pid_t>& roots);
    void forget(pid_t process);
    void forget_all_but(const std::vector<pid_t>& processes);

  private:
    struct Task {
        pid_t id = 0;
        int status = -1;  // descriptors
        int children = -1;
        int wait_channel = -1;
    };
    struct Sample {
        pid_t id = 0;
        std::uint64_t switches = 0;
        friend bool operator==(const Sample&, const Sample&) = default;
    };
    enum class Seen : std::uint8_t { kGone, kSleeps, kWorks };
    struct Look {
        Seen seen = Seen::kGone;
        std::uint64_t switches = 0;
        std::size_t threads = 0;
    };

    enum class Round : std::uint8_t { kFirst, kSecond };

    [[nodiscard]] static Look look_at(const Task& task, Round round);
    [[nodiscard]] Seen sample(pid_t process, Round round, std::vector<Sample>& samples);
    [[nodiscard]] bool list_tasks(pid_t process);
    void add_children(pid_t process, std::vector<pid_t>& out);
    static void close_all(std::vector<Task>& tasks);

    std::map<pid_t, std::vector<Task>> tasks_;  // the main thread first
};

}  // namespace lockkeeper::wire
