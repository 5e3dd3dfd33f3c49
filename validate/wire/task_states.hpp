// SPDX-License-Identifier: Apache-2.0

// Whether the processes of a caller are all asleep: exactly, from outside, and with every thread.
//
// The kernel says of each thread how much and how often it has run (schedstat), and where it is
// blocked (its wait channel). Its state alone says too little: a thread that is about to sleep, or
// that reaps a child, has the state of a sleeper, works, and may be preempted in the middle of it.
//
// All threads are looked at twice: what it has run, then its wait channel; its wait channel, then
// what it has run. Who is blocked both times, and has not run meanwhile, was blocked throughout; so
// all were blocked at the moment between the two rounds. Nobody wakes then by himself: waits with a
// time limit are held by the preloaded library, what waits for a disk has another state, and
// everything else that could wake somebody is the harness. Processes and threads that began
// meanwhile are found between the two rounds, in the lists of children and the numbers of threads.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockkeeper::wire {

// False: this kernel, or who restricts it, keeps to itself where a thread is blocked, or what it
// has run.
[[nodiscard]] bool shows_who_waits();

class TaskStates {
  public:
    TaskStates() = default;
    ~TaskStates();
    TaskStates(const TaskStates&) = delete;
    TaskStates& operator=(const TaskStates&) = delete;

    // These processes, their children and theirs. Those that have ended do not count.
    [[nodiscard]] bool all_sleep(const std::vector<pid_t>& roots);
    // For an error: the first thread that keeps all_sleep from being true, with what the kernel
    // says of it.
    [[nodiscard]] std::string who_works(const std::vector<pid_t>& roots);
    // Also where its parent has not heard of it yet.
    [[nodiscard]] bool has_ended(pid_t process);
    // The living ones of the roots and their descendants, the roots first.
    [[nodiscard]] std::vector<pid_t> descendants(const std::vector<pid_t>& roots);
    void forget(pid_t process);
    void forget_all_but(const std::vector<pid_t>& processes);

  private:
    struct Task {
        pid_t id = 0;
        int state = -1;  // descriptors
        int children = -1;
        int wait_channel = -1;
        int has_run = -1;
    };
    struct Process {
        int directory = -1;       // of its threads
        std::vector<Task> tasks;  // the main thread first
    };
    struct Sample {
        pid_t id = 0;
        std::array<char, 64> has_run{};
        friend bool operator==(const Sample&, const Sample&) = default;
    };
    enum class Seen : std::uint8_t { kGone, kSleeps, kWorks };
    enum class Round : std::uint8_t { kFirst, kSecond };

    [[nodiscard]] static Seen look_at(const Task& task, Round round, Sample& sample);
    [[nodiscard]] Seen sample(pid_t process, Round round, std::vector<Sample>& samples);
    [[nodiscard]] Process* known(pid_t process);
    [[nodiscard]] static bool list_tasks(pid_t process, Process& out);
    void add_children(pid_t process, std::vector<pid_t>& out);
    static void close_all(Process& process);

    std::map<pid_t, Process> processes_;
    std::vector<Sample> first_;
    std::vector<Sample> second_;
};

}  // namespace lockkeeper::wire
