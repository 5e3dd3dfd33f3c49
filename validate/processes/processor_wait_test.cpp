// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/processor_wait.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

using std::chrono::nanoseconds;

// Works for 200 ms of its own processor time, then stays until its parent has looked.
[[noreturn]] void work_and_stay(int ready, int end) {
    timespec ran{};
    while (ran.tv_sec == 0 && ran.tv_nsec < 200'000'000) {
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ran);
    }
    char byte = 0;
    (void)!::write(ready, "x", 1);
    (void)!::read(end, &byte, 1);
    ::_exit(0);
}

// Two that want one processor at the same time: each waits about as long as the other runs.
TEST(ProcessorWait, OfTwoThatShareAProcessorEachWaits) {
    cpu_set_t before;
    ASSERT_EQ(0, ::sched_getaffinity(0, sizeof before, &before));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    std::array<int, 2> ready{};
    std::array<int, 2> end{};
    ASSERT_EQ(0, ::pipe(ready.data()));
    ASSERT_EQ(0, ::pipe(end.data()));
    ASSERT_EQ(0, ::sched_setaffinity(0, sizeof one, &one));
    std::array<pid_t, 2> children{};
    for (pid_t& child : children) {
        child = ::fork();
        if (child == 0) {
            ::close(end[1]);
            work_and_stay(ready[1], end[0]);
        }
    }
    ASSERT_EQ(0, ::sched_setaffinity(0, sizeof before, &before));
    AnswerTime of_children(0.33);
    AnswerTime of_nobody(0.33);
    const std::vector<pid_t> both(children.begin(), children.end());
    const ProcessorWaits at_first = processor_waits(both);
    pollfd first{ready[0], POLLIN, 0};
    while (::poll(&first, 1, 1) == 0) {
        EXPECT_FALSE(of_children.is_over(both));
        (void)of_nobody.is_over({});
    }
    char byte = 0;
    ASSERT_EQ(1, ::read(ready[0], &byte, 1));
    ASSERT_EQ(1, ::read(ready[0], &byte, 1));
    const nanoseconds longest = longest_wait(at_first, processor_waits(both));
    // Together they have run for 400 ms on one processor, and each has run for 200.
    EXPECT_FALSE(of_children.is_over(both));
    EXPECT_TRUE(of_nobody.is_over({}));
    // Descendants count.
    const ProcessorWaits all = processor_waits({::getpid()});
    ::close(end[1]);
    for (const pid_t child : children) {
        ::waitpid(child, nullptr, 0);
    }
    for (const int pipe : {ready[0], ready[1], end[0]}) {
        ::close(pipe);
    }
    EXPECT_GE(longest, std::chrono::milliseconds(100));
    EXPECT_TRUE(all.contains(both[0]) && all.contains(both[1]));
}

// The kernel counts a wait only when it ends, and the idle process does not run while the other one
// works.
TEST(ProcessorWait, WhoHasNotGotAProcessorYetIsNotAccused) {
    cpu_set_t before;
    ASSERT_EQ(0, ::sched_getaffinity(0, sizeof before, &before));
    std::size_t cpu = 0;
    while (!CPU_ISSET(cpu, &before)) {
        ++cpu;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    std::array<int, 2> ready{};
    std::array<int, 2> end{};
    ASSERT_EQ(0, ::pipe(ready.data()));
    ASSERT_EQ(0, ::pipe(end.data()));
    std::array<pid_t, 2> children{};
    for (pid_t& child : children) {
        child = ::fork();
        if (child == 0) {
            ::close(end[1]);
            const sched_param none{};
            const bool is_idle = &child == children.data() + 1;
            if (::sched_setaffinity(0, sizeof one, &one) != 0 ||
                (is_idle && ::sched_setscheduler(0, SCHED_IDLE, &none) != 0)) {
                ::_exit(1);
            }
            work_and_stay(ready[1], end[0]);
        }
    }
    AnswerTime of_idle(0.05);
    pollfd first{ready[0], POLLIN, 0};
    bool is_accused = false;
    while (::poll(&first, 1, 1) == 0) {
        is_accused = is_accused || of_idle.is_over({children[1]});
    }
    ::close(end[1]);
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(0, status);
    }
    for (const int pipe : {ready[0], ready[1], end[0]}) {
        ::close(pipe);
    }
    EXPECT_FALSE(is_accused);
}

TEST(ProcessorWait, WhoIsGoneHasWaitedForNothing) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(processor_waits({child}).empty());
}

}  // namespace
}  // namespace lockkeeper
