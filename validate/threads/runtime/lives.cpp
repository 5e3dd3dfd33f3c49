// SPDX-License-Identifier: Apache-2.0

// Threads: how they begin and end, what is theirs alone; clocks, sleeps, and the end of the
// process.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "validate/threads/runtime/start.hpp"
#include "validate/threads/runtime/system.hpp"
#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

constexpr pthread_key_t kKeysMax = 64;
// Among the program's variables: each run begins with what there was before main.
pthread_key_t keys_count = 0;
void (*key_destructors[kKeysMax])(void*) = {};
const void* values_outside[kKeysMax] = {};  // where nothing is explored

// atexit() and static variables have asked for them: before main, and in the run.
struct AtExit {
    void (*function)(void*);
    void* object;
};
constexpr std::size_t kAtExitMax = 1024;
std::size_t at_exit_count = 0;
AtExit at_exit[kAtExitMax] = {};

Thread thread_of(pthread_t handle) {
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (pthread_equal(hosted->fibers[thread].handle, handle) != 0) {
            return thread;
        }
    }
    return kNobody;
}

// All runs begin at the same time, or they would not be the same. It passes for each thread alone,
// where a wait ends in time, in a sleep, and between two looks at a clock: there so much that every
// end has come.
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kBegin = 1'700'000'000 * kSecond;
constexpr std::int64_t kLong = 365 * 24 * 3600 * kSecond;

std::int64_t nanoseconds_of(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

void sleep_until(std::int64_t time) {
    if (running() != nullptr) {
        ++running()->effects;
        running()->passed = std::max(running()->passed, time - kBegin);
    }
}
void sleep_for(std::int64_t time) {
    if (running() != nullptr && time > 0) {
        ++running()->effects;
        running()->passed += std::min(time, kLong);
    }
}

timespec clock_of_the_system() {
    timespec time{};
    raw_call(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&time));
    return time;
}

std::int64_t time_now(const void* site) {
    if (running() == nullptr) {
        return is_ordinary_program() ? nanoseconds_of(clock_of_the_system()) : kBegin;
    }
    ++running()->looks_at_clocks;
    static_cast<void>(chooses_time_out(site, "no time has passed|much time has passed"));
    return kBegin + running()->passed;
}

[[noreturn]] void end_program(const char* text, int code) {
    write_all(2, text, std::strlen(text));
    write_all(2, "\n", 1);
    end_process(code);
}

}  // namespace

// A destructor may set values again: POSIX gives each so many rounds.
void run_key_destructors() {
    Fiber& fiber = *running();
    bool has_values = true;
    for (int round = 0; has_values && round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
        has_values = false;
        for (pthread_key_t key = 0; key < fiber.specific.size(); ++key) {
            const void* value = fiber.specific[key];
            if (value != nullptr && key_destructors[key] != nullptr) {
                has_values = true;
                fiber.specific[key] = nullptr;
                key_destructors[key](const_cast<void*>(value));
            }
        }
    }
}

// The libraries' own are not called: what they keep is not put back.
void run_exit_handlers() {
    constexpr std::uint64_t kProgramMax = std::uint64_t{1} << 33;
    while (at_exit_count > 0) {
        const AtExit last = at_exit[--at_exit_count];
        if (reinterpret_cast<std::uint64_t>(last.function) - hosted->shadow.code < kProgramMax) {
            last.function(last.object);
        }
    }
}

int start_thread(pthread_t* handle, bool is_detached, void* (*function)(void*), void* argument,
                 const void* site) {
    if (running() == nullptr) {
        if (!is_ordinary_program()) {
            refuse("a thread is started before main", reinterpret_cast<std::uint64_t>(site));
        }
        return EAGAIN;
    }
    note_written_by(handle, site);
    Request request;
    request.what = Request::What::kSpawn;
    request.value = reinterpret_cast<std::uint64_t>(function);
    request.argument = reinterpret_cast<std::uint64_t>(argument);
    request.text = "starts a thread";
    request.site = reinterpret_cast<std::uint64_t>(site);
    const auto child = static_cast<Thread>(ask(request));
    *handle = hosted->fibers[child].handle;
    hosted->fibers[child].is_detached = is_detached;
    return 0;
}

int join_thread(pthread_t handle, void** returned, const void* site) {
    const Thread thread = running() == nullptr ? kNobody : thread_of(handle);
    if (thread == kNobody) {
        return ESRCH;
    }
    if (thread == hosted->current) {
        return EDEADLK;
    }
    Fiber& target = hosted->fibers[thread];
    if (target.is_detached || target.is_joined) {
        found("join of a thread that cannot be joined",
              "the thread was detached, or another join has it",
              reinterpret_cast<std::uint64_t>(site));
    }
    target.is_joined = true;
    Request request;
    request.what = Request::What::kJoin;
    request.value = thread;
    request.text = "joins a thread";
    request.site = reinterpret_cast<std::uint64_t>(site);
    ask(request);
    if (returned != nullptr) {
        note_written_by(returned, site);
        *returned = hosted->fibers[thread].returned;
    }
    return 0;
}

}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_PLACE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr) {
        pthread_attr_getdetachstate(attributes, &state);
    }
    return start_thread(handle, state == PTHREAD_CREATE_DETACHED, function, argument,
                        __builtin_return_address(0));
}
int pthread_join(pthread_t handle, void** returned) {
    return join_thread(handle, returned, __builtin_return_address(0));
}

int pthread_detach(pthread_t handle) noexcept {
    const Thread thread = running() == nullptr ? kNobody : thread_of(handle);
    if (thread == kNobody) {
        return ESRCH;
    }
    Fiber& target = hosted->fibers[thread];
    if (target.is_detached || target.is_joined) {
        found("detach of a thread that cannot be detached",
              "the thread was detached or joined before", LOCKKEEPER_PLACE);
    }
    target.is_detached = true;
    return 0;
}

void pthread_exit(void*) {
    refuse("pthread_exit is not hosted: return from the thread's function", LOCKKEEPER_PLACE);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
    if (keys_count == kKeysMax) {
        return EAGAIN;
    }
    note_written_by(key, __builtin_return_address(0));
    key_destructors[keys_count] = destructor;
    *key = keys_count++;
    return 0;
}
int pthread_key_delete(pthread_key_t key) noexcept {
    key_destructors[key % kKeysMax] = nullptr;
    return 0;
}
void* pthread_getspecific(pthread_key_t key) noexcept {
    Fiber* fiber = running();
    if (fiber == nullptr) {
        return key < kKeysMax ? const_cast<void*>(values_outside[key]) : nullptr;
    }
    ++fiber->accesses;
    return key >= fiber->specific.size() ? nullptr : const_cast<void*>(fiber->specific[key]);
}
int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
    Fiber* fiber = running();
    if (key >= kKeysMax) {
        return EINVAL;
    }
    if (fiber == nullptr) {
        values_outside[key] = value;
        return 0;
    }
    const AsHost host;
    if (fiber->specific.size() <= key) {
        fiber->specific.resize(key + 1);
    }
    fiber->specific[key] = value;
    return 0;
}

int __cxa_thread_atexit(void (*destructor)(void*), void* object, void*) noexcept {
    Fiber* fiber = running();
    if (fiber != nullptr) {
        const AsHost host;
        fiber->destructors.push_back({destructor, object});
    }
    return 0;
}

int sched_yield() noexcept { return 0; }
int usleep(useconds_t time) {
    sleep_for(static_cast<std::int64_t>(time) * 1000);
    return 0;
}
unsigned sleep(unsigned seconds) {
    sleep_for(static_cast<std::int64_t>(seconds) * kSecond);
    return 0;
}
int nanosleep(const timespec* time, timespec*) {
    note_read_by(time, __builtin_return_address(0));
    sleep_for(nanoseconds_of(*time));
    return 0;
}
int clock_nanosleep(clockid_t, int flags, const timespec* time, timespec*) {
    note_read_by(time, __builtin_return_address(0));
    if ((flags & TIMER_ABSTIME) != 0) {
        sleep_until(nanoseconds_of(*time));
    } else {
        sleep_for(nanoseconds_of(*time));
    }
    return 0;
}

int clock_gettime(clockid_t, timespec* time) noexcept {
    const std::int64_t now = time_now(__builtin_return_address(0));
    note_written_by(time, __builtin_return_address(0));
    *time = {now / kSecond, now % kSecond};
    return 0;
}
int gettimeofday(timeval* time, void*) noexcept {
    const std::int64_t now = time_now(__builtin_return_address(0));
    note_written_by(time, __builtin_return_address(0));
    *time = {now / kSecond, now % kSecond / 1000};
    return 0;
}
time_t time(time_t* into) noexcept {
    const time_t now = time_now(__builtin_return_address(0)) / kSecond;
    if (into != nullptr) {
        note_written_by(into, __builtin_return_address(0));
        *into = now;
    }
    return now;
}

// The C library would count those of all runs.
int __cxa_atexit(void (*function)(void*), void* object, void* library) noexcept {
    using Register = int (*)(void (*)(void*), void*, void*);
    if (at_exit_count < kAtExitMax) {
        at_exit[at_exit_count++] = {function, object};
    } else if (running() != nullptr) {
        refuse("the program has more than 1,024 functions that are called at its end",
               LOCKKEEPER_PLACE);
    }
    if (running() != nullptr) {
        return 0;
    }
    const auto real = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_atexit"));
    return real(function, object, library);
}

void __assert_fail(const char* text, const char* file, unsigned line, const char*) noexcept {
    if (running() == nullptr && is_ordinary_program()) {
        end_program(text, 134);
    }
    if (running() == nullptr) {
        end_with_message("an assertion fails before main");
    }
    {
        const AsHost host;
        hosted->message = std::string("\"") + text + "\" at " + file + ":" + std::to_string(line);
    }
    found("assertion", hosted->message.c_str(), LOCKKEEPER_PLACE);
}

void abort() noexcept {
    if (running() == nullptr && is_ordinary_program()) {
        end_program("abort", 134);
    }
    if (running() == nullptr) {
        end_with_message("abort before main, or in the runtime of lockkeeper threads");
    }
    found("abort",
          "the program calls abort (or std::terminate: an exception that nobody catches, a "
          "std::thread that nobody joins)",
          LOCKKEEPER_PLACE);
}

void exit(int code) noexcept {
    if (running() == nullptr && is_ordinary_program()) {
        reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"))(code);
    }
    if (running() == nullptr) {
        end_with_message("exit before main");
    }
    if (code == 0 && hosted->current == 0) {
        end_main();
    }
    leave_process(code, LOCKKEEPER_PLACE);
}
void _exit(int code) {
    if (running() == nullptr && is_ordinary_program()) {
        end_process(code);
    }
    if (running() == nullptr) {
        end_with_message("exit before main");
    }
    leave_process(code, LOCKKEEPER_PLACE);
}
void quick_exit(int code) noexcept { exit(code); }

}  // extern "C"
