// SPDX-License-Identifier: Apache-2.0

// Whether the processes of a caller are all asleep: exactly, from outside, and with every thread.
//
// The kernel says of each thread whether it sleeps and how often it has been switched away from.
// All threads are looked at twice. Where each slept both times, and none was switched meanwhile,
// each slept throughout from its first look to its second one; so all slept at the moment between
// the two rounds. Nobody wakes then by himself: waits with a time limit are held by the preloaded
// library, and everything else that could wake somebody is the harness. Processes that began
// meanwhile are found in the lists of children between the two rounds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

namespace lockkeeper::wire {

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

    [[nodiscard]] static Look look_at(int status);
    [[nodiscard]] Seen sample(pid_t process, std::vector<Sample>& samples);
    [[nodiscard]] bool list_tasks(pid_t process);
    void add_children(pid_t process, std::vector<pid_t>& out);
    static void close_all(std::vector<Task>& tasks);

    std::map<pid_t, std::vector<Task>> tasks_;  // the main thread first
};

}  // namespace lockkeeper::wire
