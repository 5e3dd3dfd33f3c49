// SPDX-License-Identifier: Apache-2.0

// std::notify_all_at_thread_exit: a thread gives a mutex back and wakes who waits, when its
// thread-local variables are gone. The C++ library keeps such notices within itself, where no run
// puts them back.
#include <dlfcn.h>

#include <condition_variable>
#include <mutex>

#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

void unlock_at_end(void* mutex) {
    static_cast<void>(
        unlock_mutex(static_cast<pthread_mutex_t*>(mutex), __builtin_return_address(0)));
}
void wake_at_end(void* condition) {
    wake_condition(static_cast<pthread_cond_t*>(condition), true, __builtin_return_address(0));
}

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

extern "C" void
lockkeeper_notify_at_thread_exit(std::condition_variable&, std::unique_lock<std::mutex>&) asm(
    "_ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_"
    "lockISt5mutexE");

extern "C" void lockkeeper_notify_at_thread_exit(std::condition_variable& condition,
                                                 std::unique_lock<std::mutex>& lock) {
    Fiber* fiber = running();
    if (fiber == nullptr) {
        using Real = void (*)(std::condition_variable&, std::unique_lock<std::mutex>&);
        reinterpret_cast<Real>(
            dlsym(RTLD_NEXT,
                  "_ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_"
                  "lockISt5mutexE"))(condition, lock);
        return;
    }
    pthread_mutex_t* mutex = lock.release()->native_handle();
    const AsHost host;
    // The last one of the list comes first: these come behind all variables.
    fiber->destructors.insert(fiber->destructors.begin(),
                              {Fiber::Destructor{wake_at_end, condition.native_handle()},
                               Fiber::Destructor{unlock_at_end, mutex}});
}
