// SPDX-License-Identifier: Apache-2.0

/* Mutexes and the like with a time limit. No signal ends a wait in the C library for one of them, so
 * that who waits with a limit tries again whenever anything was unlocked. */
#include "validate/wire/preload/preload.h"

#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <threads.h>

static uint32_t waiters;
static uint32_t unlocked; /* so often, while anybody waited */

static void note_unlock(void) {
    if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST) != 0) {
        const int error = errno;
        __atomic_fetch_add(&unlocked, 1, __ATOMIC_SEQ_CST);
        lockkeeper_kernel(SYS_futex, (long)&unlocked, FUTEX_WAKE_PRIVATE, INT32_MAX);
        errno = error;
    }
}

/* `take`: EBUSY where somebody has it. */
static int take_within(int (*take)(void*), void* lock, const struct timespec* at) {
    int result = take(lock);
    const struct lockkeeper_end end = lockkeeper_moment(at);
    if (result != EBUSY || end.steady <= lockkeeper_now()) {
        return result == EBUSY ? ETIMEDOUT : result;
    }
    __atomic_fetch_add(&waiters, 1, __ATOMIC_SEQ_CST);
    lockkeeper_wait_begin(end);
    for (;;) {
        const uint32_t seen = __atomic_load_n(&unlocked, __ATOMIC_SEQ_CST);
        result = take(lock);
        if (result != EBUSY || lockkeeper_wait_fired()) {
            break;
        }
        lockkeeper_kernel(SYS_futex, (long)&unlocked, FUTEX_WAIT_PRIVATE, (long)seen);
    }
    lockkeeper_wait_end();
    __atomic_fetch_sub(&waiters, 1, __ATOMIC_SEQ_CST);
    return result == EBUSY ? ETIMEDOUT : result;
}

static int take_mutex(void* lock) { return pthread_mutex_trylock(lock); }
static int take_to_read(void* lock) { return pthread_rwlock_tryrdlock(lock); }
static int take_to_write(void* lock) { return pthread_rwlock_trywrlock(lock); }

EXPORTED int pthread_mutex_unlock(pthread_mutex_t* lock) {
    static int (*next)(pthread_mutex_t*);
    next = next != NULL ? next : NEXT(pthread_mutex_unlock);
    const int result = next(lock);
    note_unlock();
    return result;
}

EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
    static int (*next)(pthread_rwlock_t*);
    next = next != NULL ? next : NEXT(pthread_rwlock_unlock);
    const int result = next(lock);
    note_unlock();
    return result;
}

#define TIMED(name, lock_type, take)                                                       \
    EXPORTED int name(lock_type* restrict lock, const struct timespec* restrict at) {      \
        return lockkeeper_memory() == NULL ? NEXT(name)(lock, at) : take_within(take, lock, at); \
    }
#define CLOCKED(name, lock_type, take)                                                     \
    EXPORTED int name(lock_type* restrict lock, clockid_t clock, const struct timespec* restrict at) { \
        return lockkeeper_memory() == NULL ? NEXT(name)(lock, clock, at) : take_within(take, lock, at); \
    }
TIMED(pthread_mutex_timedlock, pthread_mutex_t, take_mutex)
CLOCKED(pthread_mutex_clocklock, pthread_mutex_t, take_mutex)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t, take_to_read)
CLOCKED(pthread_rwlock_clockrdlock, pthread_rwlock_t, take_to_read)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t, take_to_write)
CLOCKED(pthread_rwlock_clockwrlock, pthread_rwlock_t, take_to_write)

static void before_condition(void) {
    if (lockkeeper_memory() != NULL && __atomic_load_n(&waiters, __ATOMIC_SEQ_CST) != 0) {
        lockkeeper_refuse("a mutex with a time limit, beside a condition");
    }
}

/* A condition that is waited for gives the mutex back where nobody here sees it. */
EXPORTED int pthread_cond_wait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex) {
    static int (*next)(pthread_cond_t*, pthread_mutex_t*);
    if (next == NULL) {
        /* The newest of its versions: what is called without one would be the oldest. */
        next = (__typeof__(next))dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
        next = next != NULL ? next : (__typeof__(next))lockkeeper_next("pthread_cond_wait");
    }
    before_condition();
    return next(condition, mutex);
}

/* Those of C11 are inside of the C library. */
static int of_threads(int error) {
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}
EXPORTED int mtx_timedlock(mtx_t* restrict lock, const struct timespec* restrict at) {
    return of_threads(pthread_mutex_timedlock((pthread_mutex_t*)(void*)lock, at));
}
EXPORTED int mtx_unlock(mtx_t* lock) {
    return of_threads(pthread_mutex_unlock((pthread_mutex_t*)(void*)lock));
}
EXPORTED int cnd_wait(cnd_t* condition, mtx_t* lock) {
    return of_threads(pthread_cond_wait((pthread_cond_t*)(void*)condition, (pthread_mutex_t*)(void*)lock));
}
EXPORTED int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict lock,
                           const struct timespec* restrict at) {
    return of_threads(pthread_cond_timedwait((pthread_cond_t*)(void*)condition,
                                             (pthread_mutex_t*)(void*)lock, at));
}
EXPORTED int thrd_sleep(const struct timespec* length, struct timespec* left) {
    const int result = clock_nanosleep(CLOCK_MONOTONIC, 0, length, left);
    return result == 0 ? 0 : result == EINTR ? -1 : -2;
}

/* What a signal interrupts. `late`: the error where the time is over. */
static long ends_within(long result, int late) {
    const int error = errno;
    const int fired = lockkeeper_wait_end();
    errno = result < 0 && error == EINTR && fired ? late : error;
    return result;
}

EXPORTED int sigtimedwait(const sigset_t* restrict set, siginfo_t* restrict out,
                          const struct timespec* restrict length) {
    if (lockkeeper_memory() == NULL || length == NULL ||
        (length->tv_sec == 0 && length->tv_nsec == 0)) {
        return NEXT(sigtimedwait)(set, out, length);
    }
    sigset_t copy = *set;
    sigdelset(&copy, lockkeeper_wake_signal());
    sigdelset(&copy, SIGRTMAX - LOCKKEEPER_WIRE_TIMER_FROM_LAST);
    lockkeeper_wait_begin(lockkeeper_after(lockkeeper_from_timespec(length)));
    return (int)ends_within(sigwaitinfo(&copy, out), EAGAIN);
}

EXPORTED int semtimedop(int id, struct sembuf* operations, size_t count,
                        const struct timespec* length) {
    if (lockkeeper_memory() == NULL || length == NULL) {
        return NEXT(semtimedop)(id, operations, count, length);
    }
    lockkeeper_wait_begin(lockkeeper_after(lockkeeper_from_timespec(length)));
    return (int)ends_within(NEXT(semop)(id, operations, count), EAGAIN);
}

EXPORTED ssize_t mq_timedreceive(mqd_t queue, char* restrict out, size_t size,
                                 unsigned* restrict priority, const struct timespec* restrict at) {
    if (lockkeeper_memory() == NULL) {
        return NEXT(mq_timedreceive)(queue, out, size, priority, at);
    }
    lockkeeper_wait_begin(lockkeeper_moment(at));
    return ends_within(NEXT(mq_receive)(queue, out, size, priority), ETIMEDOUT);
}

/* Waits that no signal ends. */
EXPORTED int pthread_timedjoin_np(pthread_t thread, void** out, const struct timespec* at) {
    const int result = pthread_tryjoin_np(thread, out);
    if (result == EBUSY && lockkeeper_memory() != NULL && at != NULL) {
        lockkeeper_refuse("pthread_timedjoin_np");
    }
    return result == EBUSY ? NEXT(pthread_timedjoin_np)(thread, out, at) : result;
}
EXPORTED int pthread_clockjoin_np(pthread_t thread, void** out, clockid_t clock,
                                  const struct timespec* at) {
    const int result = pthread_tryjoin_np(thread, out);
    if (result == EBUSY && lockkeeper_memory() != NULL && at != NULL) {
        lockkeeper_refuse("pthread_clockjoin_np");
    }
    return result == EBUSY ? NEXT(pthread_clockjoin_np)(thread, out, clock, at) : result;
}
