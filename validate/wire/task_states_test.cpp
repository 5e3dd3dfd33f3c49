// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/task_states.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

using ::testing::HasSubstr;

// A process that says when it has begun, and ends with the test.
class Child {
  public:
    explicit Child(const std::function<void(int told)>& run) {
        std::array<int, 2> ends{};
        EXPECT_EQ(0, pipe(ends.data()));
        id_ = fork();
        if (id_ == 0) {
            run(ends[1]);
            _exit(0);
        }
        close(ends[1]);
        char letter = 0;
        EXPECT_EQ(1, read(ends[0], &letter, 1));
        close(ends[0]);
    }
    ~Child() {
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    [[nodiscard]] pid_t id() const { return id_; }

  private:
    pid_t id_ = -1;
};

void say(int told) { EXPECT_EQ(1, write(told, "x", 1)); }

// Two for each processor.
std::vector<std::unique_ptr<Child>> busy_children() {
    std::vector<std::unique_ptr<Child>> children;
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
        children.push_back(std::make_unique<Child>([](int told) {
            say(told);
            for (;;) {
            }
        }));
    }
    return children;
}

TEST(TaskStates, AProcessThatWaitsSleeps) {
    const Child child([](int told) {
        say(told);
        pause();
    });
    TaskStates states;
    while (!states.all_sleep({child.id()})) {  // ends: it does nothing else
    }
    EXPECT_TRUE(states.all_sleep({child.id()}));
    EXPECT_THAT(states.who_works({child.id()}), HasSubstr("each of its threads sleeps"));
}

TEST(TaskStates, AProcessThatWorksDoesNot) {
    const Child child([](int told) {
        say(told);
        for (;;) {
        }
    });
    TaskStates states;
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_FALSE(states.all_sleep({child.id()}));
    }
    const std::string id = std::to_string(child.id());
    EXPECT_EQ("thread " + id + " of process " + id + " is in state R and not blocked",
              states.who_works({child.id()}));
}

TEST(TaskStates, ItsChildrenCount) {
    const Child child([](int told) {
        if (fork() == 0) {
            say(told);
            for (;;) {
            }
        }
        pause();
    });
    TaskStates states;
    ASSERT_EQ(2U, states.descendants({child.id()}).size());
    for (int i = 0; i < 1'000; ++i) {
        ASSERT_FALSE(states.all_sleep({child.id()}));
    }
    kill(states.descendants({child.id()}).back(), SIGKILL);
}

TEST(TaskStates, WhoHasEndedDoesNotCount) {
    pid_t id = 0;
    TaskStates states;
    {
        const Child child([](int told) {
            say(told);
            pause();
        });
        id = child.id();
        while (!states.all_sleep({id})) {
        }
    }
    EXPECT_TRUE(states.all_sleep({id}));
}

// Beside busy ones a thread that has worked stays in the queue for a processor when it sleeps.
TEST(TaskStates, WhoHasJustGoneToSleepSleeps) {
    const auto others = busy_children();
    std::array<int, 2> work{};
    ASSERT_EQ(0, pipe(work.data()));
    const Child child([&](int told) {
        say(told);
        char letter = 0;
        while (read(work[0], &letter, 1) == 1) {
            volatile unsigned worked = 0;
            while (worked < 1'000'000) {
                worked = worked + 1;
            }
        }
    });
    const auto state = [&] {
        std::array<char, 512> text{};
        const int file = open(("/proc/" + std::to_string(child.id()) + "/stat").c_str(), O_RDONLY);
        EXPECT_LT(0, read(file, text.data(), text.size() - 1));
        close(file);
        return std::strrchr(text.data(), ')')[2];
    };
    const auto is_taken = [&] {
        int letters = 0;
        EXPECT_EQ(0, ioctl(work[0], FIONREAD, &letters));
        return letters == 0;
    };
    TaskStates states;
    for (int round = 0; round < 60; ++round) {
        say(work[1]);
        while (!is_taken() || state() != 'S') {  // ends: it works for a moment
        }
        int looks = 1;
        while (!states.all_sleep({child.id()})) {
            ++looks;
        }
        EXPECT_GE(10, looks);
    }
    close(work[0]);
    close(work[1]);
}

TEST(TaskStates, TheKernelShowsWhereAThreadIsBlocked) { EXPECT_TRUE(shows_who_waits()); }

// It has the state of a sleeper while it looks for children and takes them away, and where
// processors are few it is preempted just then.
TEST(TaskStates, WhoReapsChildrenDoesNotSleep) {
    const auto others = busy_children();
    const Child child([](int told) {
        say(told);
        for (;;) {
            const pid_t other = fork();
            if (other == 0) {
                _exit(0);
            }
            waitpid(other, nullptr, 0);
        }
    });
    TaskStates states;
    for (int i = 0; i < 20'000; ++i) {
        ASSERT_FALSE(states.all_sleep({child.id()})) << i;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
