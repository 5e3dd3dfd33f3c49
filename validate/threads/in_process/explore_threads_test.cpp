// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <lockkeeper/threads.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using lockkeeper::explore_threads;
using lockkeeper::ThreadsOptions;
using lockkeeper::ThreadsResult;
using lockkeeper::ThreadsVerdict;

int runs_so_far = 0;
std::vector<std::string> names{"a name that is too long to stand in the string"};

class SpinLock {
  public:
    explicit SpinLock(std::memory_order on_unlock) : on_unlock_(on_unlock) {}
    void lock() {
        while (taken_.exchange(true, std::memory_order_acquire)) {
        }
    }
    void unlock() { taken_.store(false, on_unlock_); }

  private:
    std::memory_order on_unlock_;
    std::atomic<bool> taken_{false};
};

void count_under(std::memory_order on_unlock) {
    SpinLock lock(on_unlock);
    int count = 0;
    const auto add = [&] {
        const std::lock_guard<SpinLock> guard(lock);
        ++count;
    };
    std::thread other(add);
    add();
    other.join();
    assert(count == 2);
}

}  // namespace

TEST(ExploreThreads, PassesARightLockCompletely) {
    const ThreadsResult result = explore_threads([] { count_under(std::memory_order_release); });
    EXPECT_TRUE(result.passed()) << result.text;
    EXPECT_GE(result.executions, 2U) << result.text;
    EXPECT_NE(result.text.find("scope: complete"), std::string::npos) << result.text;
}

TEST(ExploreThreads, FindsTheRaceOfALockThatReleasesNothing) {
    const ThreadsResult result = explore_threads([] { count_under(std::memory_order_relaxed); });
    EXPECT_EQ(result.verdict, ThreadsVerdict::kViolated) << result.text;
    EXPECT_NE(result.text.find("data race"), std::string::npos) << result.text;
    EXPECT_NE(result.text.find("explore_threads_test.cpp"), std::string::npos) << result.text;
}

TEST(ExploreThreads, HasTheModelThatIsAskedFor) {
    ThreadsOptions options;
    options.is_sc = true;
    const ThreadsResult result =
        explore_threads([] { count_under(std::memory_order_relaxed); }, options);
    EXPECT_TRUE(result.passed()) << result.text;
}

TEST(ExploreThreads, BeginsEachRunWithTheVariablesOfTheCaller) {
    int runs = 0;
    std::string text = "another name that is too long to stand in the string";
    const ThreadsResult result = explore_threads([&] {
        ++runs;
        ++runs_so_far;
        text += "!";
        names.push_back(text);
        std::atomic<int> number{0};
        std::thread other([&] { number.store(1); });
        (void)number.load();
        other.join();
        assert(runs == 1 && runs_so_far == 1 && names.size() == 2);
        assert(text == "another name that is too long to stand in the string!");
    });
    EXPECT_TRUE(result.passed()) << result.text;
    EXPECT_EQ(result.executions, 2U) << result.text;
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(runs_so_far, 0);
    EXPECT_EQ(names.size(), 1U);
}

TEST(ExploreThreads, FindsARaceAtAVariableOfTheCaller) {
    int count = 0;
    const ThreadsResult result = explore_threads([&] {
        std::thread other([&] { ++count; });
        ++count;
        other.join();
    });
    EXPECT_EQ(result.verdict, ThreadsVerdict::kViolated) << result.text;
}

TEST(ExploreThreads, RefusesTheFrameworksChecksWithinTheTest) {
    const ThreadsResult result = explore_threads([] {
        std::thread other([] {});
        other.join();
        EXPECT_EQ(std::string(names.front(), 0, 1), "b");
    });
    EXPECT_EQ(result.verdict, ThreadsVerdict::kRefused) << result.text;
    EXPECT_NE(result.text.find("testing::"), std::string::npos) << result.text;
}

TEST(ExploreThreads, RefusesAFunctionThatIsNotHostedOnlyWhereItIsCalled) {
    std::FILE* file = std::fopen("/dev/null", "r");
    ASSERT_NE(file, nullptr);
    std::fclose(file);
    const ThreadsResult result = explore_threads([] {
        std::thread other([] { (void)std::fopen("/dev/null", "r"); });
        other.join();
    });
    EXPECT_EQ(result.verdict, ThreadsVerdict::kRefused) << result.text;
    EXPECT_NE(result.text.find("fopen, which is not hosted"), std::string::npos) << result.text;
}

TEST(ExploreThreads, EndsAtALimitAsInconclusive) {
    ThreadsOptions options;
    options.executions_max = 1;
    const ThreadsResult result =
        explore_threads([] { count_under(std::memory_order_release); }, options);
    EXPECT_EQ(result.verdict, ThreadsVerdict::kInconclusive) << result.text;
}

TEST(ExploreThreads, TriesSchedulesByChanceAndSaysSo) {
    ThreadsOptions options;
    options.strategy = "random";
    options.schedules_max = 50;
    const ThreadsResult right =
        explore_threads([] { count_under(std::memory_order_release); }, options);
    EXPECT_TRUE(right.passed()) << right.text;
    EXPECT_NE(right.text.find("bounded: 50 random schedules, seed 1"), std::string::npos)
        << right.text;
    const ThreadsResult wrong =
        explore_threads([] { count_under(std::memory_order_relaxed); }, options);
    EXPECT_EQ(wrong.verdict, ThreadsVerdict::kViolated) << wrong.text;
}

TEST(ExploreThreads, JudgesMarks) {
    struct Always {  // a lock that lets everybody in
        explicit Always(unsigned) {}
        void acquire() {}
        void release() {}
    };
    const ThreadsResult result = explore_threads([] {
        lockkeeper::watched_semaphore<Always> semaphore(1);
        const auto use = [&] {
            semaphore.acquire();
            semaphore.release();
        };
        std::thread other(use);
        use();
        other.join();
    });
    EXPECT_EQ(result.verdict, ThreadsVerdict::kViolated) << result.text;
    EXPECT_NE(result.text.find("P1 over-allocation"), std::string::npos) << result.text;
}

TEST(ExploreThreads, GivesOneDocumentBesidesTheTextWhereItIsAskedFor) {
    ThreadsOptions options;
    options.wants_json = true;
    const ThreadsResult wrong =
        explore_threads([] { count_under(std::memory_order_relaxed); }, options);
    EXPECT_EQ(wrong.json.rfind("{\"threads_result\":1,\"verdict\":\"violated\"", 0), 0U)
        << wrong.json;
    EXPECT_NE(wrong.json.find("\"kind\":\"data race\""), std::string::npos) << wrong.json;
    EXPECT_EQ(wrong.text.find('\0'), std::string::npos);
    EXPECT_NE(wrong.text.find("verdict: violated: data race"), std::string::npos) << wrong.text;
    const ThreadsResult right =
        explore_threads([] { count_under(std::memory_order_release); }, options);
    EXPECT_NE(right.json.find("\"complete\":true"), std::string::npos) << right.json;
    EXPECT_TRUE(explore_threads([] {}).json.empty());
}

namespace {

volatile sig_atomic_t signals_so_far = 0;

void count_signal(int) { signals_so_far = signals_so_far + 1; }

// Returns to its caller what waits in the kernel.
void handle_by_counting(int signal) {
    struct sigaction action = {};
    action.sa_handler = count_signal;
    sigaction(signal, &action, nullptr);
}

// From a process of its own: a signal to the test, and then one to the process that explores.
pid_t start_who_interrupts() {
    const pid_t test = getpid();
    const pid_t own = fork();
    if (own != 0) {
        return own;
    }
    pid_t explorer = 0;
    while (explorer == 0) {
        sched_yield();
        const std::string number = std::to_string(test);
        std::ifstream children("/proc/" + number + "/task/" + number + "/children");
        for (pid_t child = 0; children >> child;) {
            explorer = child == getpid() ? explorer : child;
        }
    }
    kill(test, SIGUSR1);
    kill(explorer, SIGINT);
    _exit(0);
}

}  // namespace

TEST(ExploreThreads, EndsByASignalToItsProcessAndLeavesTheHandlersOfTheCaller) {
    handle_by_counting(SIGINT);
    handle_by_counting(SIGUSR1);
    const pid_t who = start_who_interrupts();
    const ThreadsResult result = explore_threads([] {
        std::atomic<int> number{0};
        const auto add = [&] {
            for (int round = 0; round < 10; ++round) {
                number.fetch_add(1);
            }
        };
        std::thread one(add);
        std::thread two(add);
        std::thread three(add);
        add();
        one.join();
        two.join();
        three.join();
    });
    EXPECT_EQ(waitpid(who, nullptr, 0), who);
    EXPECT_EQ(result.verdict, ThreadsVerdict::kInconclusive) << result.text;
    EXPECT_NE(result.text.find("verdict: inconclusive: interrupted"), std::string::npos)
        << result.text;
    EXPECT_EQ(signals_so_far, 1) << "SIGUSR1";
    raise(SIGINT);
    EXPECT_EQ(signals_so_far, 2);
    signal(SIGINT, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}
