// SPDX-License-Identifier: Apache-2.0

// Threads: how they begin and end, what is theirs alone; clocks, sleeps, and the end of the
// process.
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

constexpr pthread_key_t kKeysMax = 64;
// Among the program's variables: each run begins with what there was before main.
pthread_key_t keys_count = 0;
void (*key_destructors[kKeysMax])(void*) = {};

Thread thread_of(pthread_t handle) {
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (pthread_equal(hosted->fibers[thread].handle, handle) != 0) {
            return thread;
        }
    }
    return kNobody;
}

// All runs see the same time, or they would not be the same.
constexpr time_t kTime = 1'700'000'000;

}  // namespace

void run_key_destructors() {
    Fiber& fiber = *running();
    for (pthread_key_t key = 0; key < fiber.specific.size(); ++key) {
        const void* value = fiber.specific[key];
        if (value != nullptr && key_destructors[key] != nullptr) {
            fiber.specific[key] = nullptr;
            key_destructors[key](const_cast<void*>(value));
        }
    }
}

}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
    if (running() == nullptr) {
        return EAGAIN;
    }
    Request request;
    request.what = Request::What::kSpawn;
    request.value = reinterpret_cast<std::uint64_t>(function);
    request.argument = reinterpret_cast<std::uint64_t>(argument);
    request.text = "starts a thread";
    request.site = LOCKKEEPER_HERE;
    const auto child = static_cast<Thread>(ask(request));
    *handle = hosted->fibers[child].handle;
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr) {
        pthread_attr_getdetachstate(attributes, &state);
    }
    hosted->fibers[child].is_detached = state == PTHREAD_CREATE_DETACHED;
    return 0;
}

int pthread_join(pthread_t handle, void** returned) {
    const Thread thread = running() == nullptr ? kNobody : thread_of(handle);
    if (thread == kNobody) {
        return ESRCH;
    }
    Request request;
    request.what = Request::What::kJoin;
    request.value = thread;
    request.text = "joins a thread";
    request.site = LOCKKEEPER_HERE;
    ask(request);
    if (returned != nullptr) {
        *returned = hosted->fibers[thread].returned;
    }
    return 0;
}

int pthread_detach(pthread_t handle) noexcept {
    const Thread thread = running() == nullptr ? kNobody : thread_of(handle);
    if (thread == kNobody) {
        return ESRCH;
    }
    hosted->fibers[thread].is_detached = true;
    return 0;
}

void pthread_exit(void*) {
    refuse("pthread_exit is not hosted: return from the thread's function", LOCKKEEPER_HERE);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
    if (keys_count == kKeysMax) {
        return EAGAIN;
    }
    key_destructors[keys_count] = destructor;
    *key = keys_count++;
    return 0;
}
int pthread_key_delete(pthread_key_t key) noexcept {
    key_destructors[key % kKeysMax] = nullptr;
    return 0;
}
void* pthread_getspecific(pthread_key_t key) noexcept {
    const Fiber* fiber = running();
    return fiber == nullptr || key >= fiber->specific.size()
               ? nullptr
               : const_cast<void*>(fiber->specific[key]);
}
int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
    Fiber* fiber = running();
    if (fiber == nullptr || key >= kKeysMax) {
        return EINVAL;
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
int usleep(useconds_t) { return 0; }
unsigned sleep(unsigned) { return 0; }
int nanosleep(const timespec*, timespec*) { return 0; }
int clock_nanosleep(clockid_t, int, const timespec*, timespec*) { return 0; }

int clock_gettime(clockid_t, timespec* time) noexcept {
    *time = {kTime, 0};
    return 0;
}
int gettimeofday(timeval* time, void*) noexcept {
    *time = {kTime, 0};
    return 0;
}
time_t time(time_t* into) noexcept {
    if (into != nullptr) {
        *into = kTime;
    }
    return kTime;
}

void __assert_fail(const char* text, const char* file, unsigned line, const char*) noexcept {
    if (running() == nullptr) {
        end_with_message("an assertion fails before main");
    }
    {
        const AsHost host;
        hosted->message = std::string("\"") + text + "\" at " + file + ":" + std::to_string(line);
    }
    found("assertion", hosted->message.c_str(), LOCKKEEPER_HERE);
}

void abort() noexcept {
    if (running() == nullptr) {
        end_with_message("abort before main, or in the runtime of lockkeeper threads");
    }
    found("abort",
          "the program calls abort (or std::terminate: an exception that nobody catches, a "
          "std::thread that nobody joins)",
          LOCKKEEPER_HERE);
}

void exit(int code) noexcept {
    if (running() == nullptr) {
        end_with_message("exit before main");
    }
    leave_process(code, LOCKKEEPER_HERE);
}
void _exit(int code) {
    if (running() == nullptr) {
        end_with_message("exit before main");
    }
    leave_process(code, LOCKKEEPER_HERE);
}
void quick_exit(int code) noexcept { exit(code); }

}  // extern "C"
