// SPDX-License-Identifier: Apache-2.0

// Threads of C11 (<threads.h>). In glibc they are those of pthreads under other names; here, too.
// Weak: programs from before C11 have functions of their own with these names.
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t));
pthread_mutex_t* mutex_of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* condition_of(cnd_t* condition) {
    return reinterpret_cast<pthread_cond_t*>(condition);
}

int c11_result(int error) {
    return error == 0           ? thrd_success
           : error == EBUSY     ? thrd_busy
           : error == ETIMEDOUT ? thrd_timedout
           : error == ENOMEM    ? thrd_nomem
                                : thrd_error;
}

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)
#define LOCKKEEPER_WEAK __attribute__((weak))

extern "C" {

// A number is returned in the lower half of where a pointer is.
LOCKKEEPER_WEAK int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
    return c11_result(start_thread(
        thread, false, reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(function)),
        argument, LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK int thrd_join(thrd_t thread, int* returned) {
    void* value = nullptr;
    const int error = join_thread(thread, &value, LOCKKEEPER_HERE);
    if (returned != nullptr) {
        note_written_by(returned, LOCKKEEPER_HERE);
        *returned = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
    }
    return c11_result(error);
}
LOCKKEEPER_WEAK int thrd_detach(thrd_t thread) { return c11_result(pthread_detach(thread)); }
LOCKKEEPER_WEAK void thrd_exit(int) {
    refuse("thrd_exit is not hosted: return from the thread's function",
           reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK thrd_t thrd_current() { return pthread_self(); }
LOCKKEEPER_WEAK void thrd_yield() {}
LOCKKEEPER_WEAK int thrd_sleep(const timespec* time, timespec* left) {
    return nanosleep(time, left);
}
LOCKKEEPER_WEAK int timespec_get(timespec* time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

LOCKKEEPER_WEAK int mtx_init(mtx_t* mutex, int type) {
    renew_object(mutex, sizeof(*mutex), LOCKKEEPER_HERE);
    *mutex_of(mutex) = PTHREAD_MUTEX_INITIALIZER;
    mutex_of(mutex)->__data.__kind =
        (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    return thrd_success;
}
LOCKKEEPER_WEAK void mtx_destroy(mtx_t* mutex) { end_lock(mutex, sizeof(*mutex), LOCKKEEPER_HERE); }
LOCKKEEPER_WEAK int mtx_lock(mtx_t* mutex) {
    return !is_asked(LOCKKEEPER_HERE)
               ? thrd_success
               : c11_result(lock_mutex(mutex_of(mutex), false, LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK int mtx_timedlock(mtx_t* mutex, const timespec* time) {
    note_read_by(time, LOCKKEEPER_HERE);
    return !is_asked(LOCKKEEPER_HERE)
               ? thrd_success
               : c11_result(lock_mutex(mutex_of(mutex), true, LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK int mtx_trylock(mtx_t* mutex) {
    return !is_asked(LOCKKEEPER_HERE) ? thrd_success
                                      : c11_result(try_mutex(mutex_of(mutex), LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK int mtx_unlock(mtx_t* mutex) {
    return !is_asked(LOCKKEEPER_HERE) ? thrd_success
                                      : c11_result(unlock_mutex(mutex_of(mutex), LOCKKEEPER_HERE));
}

LOCKKEEPER_WEAK int cnd_init(cnd_t* condition) {
    renew_object(condition, sizeof(*condition), LOCKKEEPER_HERE);
    *condition_of(condition) = PTHREAD_COND_INITIALIZER;
    return thrd_success;
}
LOCKKEEPER_WEAK void cnd_destroy(cnd_t* condition) {
    renew_object(condition, sizeof(*condition), LOCKKEEPER_HERE);
}
LOCKKEEPER_WEAK int cnd_wait(cnd_t* condition, mtx_t* mutex) {
    return running() == nullptr
               ? thrd_success
               : c11_result(wait_at_condition(condition_of(condition), mutex_of(mutex), false,
                                              LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
    note_read_by(time, LOCKKEEPER_HERE);
    return running() == nullptr
               ? thrd_success
               : c11_result(wait_at_condition(condition_of(condition), mutex_of(mutex), true,
                                              LOCKKEEPER_HERE));
}
LOCKKEEPER_WEAK int cnd_signal(cnd_t* condition) {
    if (running() != nullptr) {
        wake_condition(condition_of(condition), false, LOCKKEEPER_HERE);
    }
    return thrd_success;
}
LOCKKEEPER_WEAK int cnd_broadcast(cnd_t* condition) {
    if (running() != nullptr) {
        wake_condition(condition_of(condition), true, LOCKKEEPER_HERE);
    }
    return thrd_success;
}

LOCKKEEPER_WEAK void call_once(once_flag* flag, void (*function)()) {
    do_once(reinterpret_cast<pthread_once_t*>(flag), function, LOCKKEEPER_HERE);
}
LOCKKEEPER_WEAK int tss_create(tss_t* key, tss_dtor_t destructor) {
    return c11_result(pthread_key_create(key, destructor));
}
LOCKKEEPER_WEAK void* tss_get(tss_t key) { return pthread_getspecific(key); }
LOCKKEEPER_WEAK int tss_set(tss_t key, void* value) {
    return c11_result(pthread_setspecific(key, value));
}
LOCKKEEPER_WEAK void tss_delete(tss_t key) { pthread_key_delete(key); }

}  // extern "C"
