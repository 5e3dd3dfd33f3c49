// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/task_states.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
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

TEST(TaskStates, TheKernelShowsWhereAThreadIsBlocked) { EXPECT_TRUE(shows_who_waits()); }

// It has the state of a sleeper while it looks for children and takes them away, and where
// processors are few it is preempted just then.
TEST(TaskStates, WhoReapsChildrenDoesNotSleep) {
    std::vector<std::unique_ptr<Child>> others;
    for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
        others.push_back(std::make_unique<Child>([](int told) {
            say(told);
            for (;;) {
            }
        }));
    }
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
