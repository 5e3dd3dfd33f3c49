// SPDX-License-Identifier: Apache-2.0

// Every execution of a piece of code with threads, from within a test of any framework:
//
//     const lockkeeper::ThreadsResult result = lockkeeper::explore_threads([] {
//         MyLock lock;
//         std::thread other([&] { lock.lock(); ...; lock.unlock(); });
//         ...
//         other.join();
//     });
//     EXPECT_TRUE(result.passed()) << result.text;
//
// Called by tests. The program is compiled with -fsanitize=thread and linked with
// liblockkeeper_threads.a in the place of the sanitizer: lockkeeper_threads_test() of CMake,
// `pkg-config lockkeeper-threads`, or `lockkeeper threads --flags` have the options.
//
// The code runs in a process of its own, once for each execution: what it changes is not seen
// behind the call. It says by assert() that something is wrong; the test framework's own checks are
// refused in it, for the framework is not compiled with -fsanitize=thread. Threads exist only in
// it: outside of explore_threads std::thread cannot be started.
//
// A signal to the caller meets the caller's own handlers. The process of the call ends with the
// caller; SIGINT, SIGTERM or SIGHUP sent to it, as Ctrl-C is, end it with "inconclusive:
// interrupted", unless the caller ignores them.
//
// The same limits as those of `lockkeeper threads`: docs/decisions/methods/threads.md. x86-64.
#pragma once

#include <cstdint>
#include <lockkeeper/marks.hpp>
#include <memory>
#include <string>
#include <type_traits>

// The runtime has it. Gives the verdict; the text is given to `take` in parts.
extern "C" int lockkeeper_explore_threads(void (*test)(void*), void* object, const char* settings,
                                          void (*take)(void*, const char*, unsigned long),
                                          void* taker, unsigned long* executions);
// Says to the runtime that main is not the test.
extern "C" __attribute__((weak, used)) const int lockkeeper_explores_in_process = 1;

namespace lockkeeper {

// With the exit codes of the command.
enum class ThreadsVerdict : int {
    kPassed = 0,
    kViolated = 1,
    kInconclusive = 2,  // a limit ended the search
    kNotDeterministic = 3,
    kRefused = 65,  // it cannot be hosted
    kError = 70,    // Lockkeeper itself has failed
};

struct ThreadsOptions {
    bool is_sc = false;  // every atomic access is seq_cst; else as its memory order says (RC11)
    // "all": every execution. "random" or "pct:3" (priorities, with two changes): so many
    // schedules, for what is too large; a pass is never complete then.
    std::string strategy = "all";
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;
    std::uint64_t executions_max = 10'000'000;
    std::uint64_t seconds_max = 60;
    std::uint16_t failing_allocations_max = 0;  // of each thread that the test starts
    std::uint16_t weak_failures_max = 0;        // of each thread's weak compare-exchanges
    bool finds_leaks = false;  // memory that nobody can reach at the end is a violation
    bool wants_json = false;   // ThreadsResult::json
};

struct ThreadsResult {
    ThreadsVerdict verdict = ThreadsVerdict::kError;
    std::uint64_t executions = 0;  // that were run to their end
    std::string text;              // as the command prints it: the run, step by step, and the scope
    // Where it was asked for: one document, docs/decisions/methods/threads.md. Empty where nothing
    // was explored.
    std::string json;

    [[nodiscard]] bool passed() const { return verdict == ThreadsVerdict::kPassed; }
};

template <class Test>
[[nodiscard]] ThreadsResult explore_threads(Test&& test, const ThreadsOptions& options = {}) {
    ThreadsResult result;
    const std::string settings =
        std::string("model=") + (options.is_sc ? "sc" : "c11") + ",strategy=" + options.strategy +
        ",seed=" + std::to_string(options.seed) +
        ",schedules=" + std::to_string(options.schedules_max) +
        ",executions=" + std::to_string(options.executions_max) +
        ",seconds=" + std::to_string(options.seconds_max) +
        ",allocations=" + std::to_string(options.failing_allocations_max) +
        ",weak=" + std::to_string(options.weak_failures_max) +
        (options.finds_leaks ? ",leaks=on" : "") + (options.wants_json ? ",json=on" : "");
    using Called = std::remove_reference_t<Test>;
    const auto call = [](void* object) { (*static_cast<Called*>(object))(); };
    const auto take = [](void* text, const char* part, unsigned long size) {
        static_cast<std::string*>(text)->append(part, size);
    };
    unsigned long executions = 0;
    void* object = const_cast<void*>(static_cast<const void*>(std::addressof(test)));
    result.verdict = static_cast<ThreadsVerdict>(lockkeeper_explore_threads(
        call, object, settings.c_str(), take, &result.text, &executions));
    result.executions = executions;
    const std::size_t end_of_text = result.text.find('\0');
    if (end_of_text != std::string::npos) {
        result.json = result.text.substr(end_of_text + 1);
        result.text.resize(end_of_text);
    }
    return result;
}

}  // namespace lockkeeper
