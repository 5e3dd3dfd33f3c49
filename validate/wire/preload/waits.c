// SPDX-License-Identifier: Apache-2.0

/* Waits with a time limit. The thread blocks in the kernel without one; that its time has come is
 * said by the harness, with a signal that interrupts the wait. */
#include "validate/wire/preload/preload.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#define MILLISECOND 1000000LL
#define SECOND 1000000000LL

struct lockkeeper_end lockkeeper_after(int64_t length) {
    const struct lockkeeper_end end = {
        length == LOCKKEEPER_NEVER ? LOCKKEEPER_NEVER : lockkeeper_now() + length, 0};
    return end;
}

/* `timeout` null, or a time from now on. */
static struct lockkeeper_end from_now(const struct timespec* timeout) {
    return lockkeeper_after(timeout == NULL ? LOCKKEEPER_NEVER : lockkeeper_from_timespec(timeout));
}

/* A moment of one of the two clocks. That of a condition's attribute is not known here, but a small
 * number of seconds is nothing that a wall clock shows. */
struct lockkeeper_end lockkeeper_moment(const struct timespec* at) {
    const int64_t time = lockkeeper_from_timespec(at);
    const int is_wall = at->tv_sec >= 1000000000LL;
    struct lockkeeper_end end = {LOCKKEEPER_NEVER, 0};
    if (time != LOCKKEEPER_NEVER) {
        end.steady = is_wall ? time - lockkeeper_offset()
                             : time + LOCKKEEPER_WIRE_BOOT_SECONDS * SECOND;
        end.wall = is_wall ? time : 0;
    }
    return end;
}

static int is_past(struct lockkeeper_end end) { return end.steady <= lockkeeper_now(); }

static int passes(int64_t length) { return lockkeeper_memory() == NULL || length <= 0; }

/* Who only looks does not wait. */
static void ring_unless(int only_looks) {
    if (!only_looks) {
        lockkeeper_ring();
    }
}

static int is_ours(const struct timespec* timeout) {
    return lockkeeper_memory() != NULL && timeout != NULL &&
           (timeout->tv_sec > 0 || timeout->tv_nsec > 0);
}

/* The harness's signals are never blocked. */
static const sigset_t* without_ours(const sigset_t* mask, sigset_t* copy) {
    if (mask == NULL || lockkeeper_memory() == NULL) {
        return mask;
    }
    *copy = *mask;
    sigdelset(copy, lockkeeper_wake_signal());
    sigdelset(copy, SIGRTMAX - LOCKKEEPER_WIRE_TIMER_FROM_LAST);
    return copy;
}

/* A wait for `until` has ended with `result`. */
static int waited(int result) {
    const int error = errno;
    const int fired = lockkeeper_wait_end();
    errno = error;
    return result < 0 && error == EINTR && fired ? 0 : result;
}

EXPORTED int poll(struct pollfd* files, nfds_t count, int timeout) {
    int result = 0;
    const int ready = timeout == 0 || lockkeeper_memory() == NULL ? 0 : NEXT(poll)(files, count, 0);
    if (ready != 0) {
        return ready;
    }
    if (passes(timeout)) {
        ring_unless(timeout == 0);
        LOCKKEEPER_GOES_ON(result, NEXT(poll)(files, count, timeout));
        return result;
    }
    lockkeeper_wait_begin(lockkeeper_after(timeout * MILLISECOND));
    LOCKKEEPER_GOES_ON(result, NEXT(poll)(files, count, -1));
    return waited(result);
}

EXPORTED int __poll_chk(struct pollfd* files, nfds_t count, int timeout, size_t size) {
    (void)size;
    return poll(files, count, timeout);
}

EXPORTED int ppoll(struct pollfd* files, nfds_t count, const struct timespec* timeout,
                   const sigset_t* mask) {
    sigset_t copy;
    int result = 0;
    mask = without_ours(mask, &copy);
    if (!is_ours(timeout)) {
        ring_unless(timeout != NULL);
        LOCKKEEPER_GOES_ON(result, NEXT(ppoll)(files, count, timeout, mask));
        return result;
    }
    lockkeeper_wait_begin(from_now(timeout));
    LOCKKEEPER_GOES_ON(result, NEXT(ppoll)(files, count, NULL, mask));
    return waited(result);
}

EXPORTED int pselect(int count, fd_set* read, fd_set* write, fd_set* except,
                     const struct timespec* timeout, const sigset_t* mask) {
    sigset_t copy;
    int result = 0;
    mask = without_ours(mask, &copy);
    if (!is_ours(timeout)) {
        ring_unless(timeout != NULL);
        LOCKKEEPER_GOES_ON(result, NEXT(pselect)(count, read, write, except, timeout, mask));
        return result;
    }
    lockkeeper_wait_begin(from_now(timeout));
    LOCKKEEPER_GOES_ON(result, NEXT(pselect)(count, read, write, except, NULL, mask));
    const int answer = waited(result);
    if (result < 0 && answer == 0) { /* nothing is ready, which the kernel has not said */
        fd_set* const sets[] = {read, write, except};
        for (int i = 0; i < 3; ++i) {
            if (sets[i] != NULL) {
                FD_ZERO(sets[i]);
            }
        }
    }
    return answer;
}

EXPORTED int select(int count, fd_set* read, fd_set* write, fd_set* except,
                    struct timeval* timeout) {
    struct timespec exact;
    if (count == 0 && lockkeeper_memory() != NULL && lockkeeper_is_known_server()) {
        return NEXT(select)(count, read, write, except, timeout); /* it sleeps for a moment */
    }
    if (timeout != NULL) {
        exact.tv_sec = timeout->tv_sec;
        exact.tv_nsec = timeout->tv_usec * 1000;
    }
    return pselect(count, read, write, except, timeout == NULL ? NULL : &exact, NULL);
}

EXPORTED int epoll_pwait(int file, struct epoll_event* events, int most, int timeout,
                         const sigset_t* mask) {
    sigset_t copy;
    int result = 0;
    mask = without_ours(mask, &copy);
    if (passes(timeout)) {
        ring_unless(timeout == 0);
        LOCKKEEPER_GOES_ON(result, NEXT(epoll_pwait)(file, events, most, timeout, mask));
        return result;
    }
    lockkeeper_wait_begin(lockkeeper_after(timeout * MILLISECOND));
    lockkeeper_wait_of_loop();
    LOCKKEEPER_GOES_ON(result, NEXT(epoll_pwait)(file, events, most, -1, mask));
    return waited(result);
}

EXPORTED int epoll_wait(int file, struct epoll_event* events, int most, int timeout) {
    return epoll_pwait(file, events, most, timeout, NULL);
}

/* PostgreSQL and Redis sleep for a moment to give others time to end what they do. Of a server that
 * is not known, nobody knows that. */
static int sleeps_really(void) {
    return lockkeeper_memory() == NULL || lockkeeper_is_known_server();
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec* length,
                             struct timespec* left) {
    if (sleeps_really()) {
        return NEXT(clock_nanosleep)(clock, flags, length, left);
    }
    const struct lockkeeper_end end =
        (flags & TIMER_ABSTIME) != 0 ? lockkeeper_moment(length) : from_now(length);
    if (is_past(end)) {
        return 0;
    }
    lockkeeper_sleep_begin(end);
    lockkeeper_sleep_until_fired();
    if (lockkeeper_wait_end()) {
        return 0;
    }
    if (left != NULL && (flags & TIMER_ABSTIME) == 0) {
        const int64_t rest = end.steady - lockkeeper_now();
        left->tv_sec = rest / SECOND;
        left->tv_nsec = rest % SECOND;
    }
    return EINTR;
}

EXPORTED int nanosleep(const struct timespec* length, struct timespec* left) {
    if (sleeps_really()) {
        return NEXT(nanosleep)(length, left);
    }
    errno = clock_nanosleep(CLOCK_MONOTONIC, 0, length, left);
    return errno == 0 ? 0 : -1;
}

EXPORTED int usleep(useconds_t length) {
    const struct timespec exact = {.tv_sec = length / 1000000,
                                   .tv_nsec = (long)(length % 1000000) * 1000};
    return nanosleep(&exact, NULL);
}

EXPORTED unsigned sleep(unsigned length) {
    const struct timespec exact = {.tv_sec = length, .tv_nsec = 0};
    struct timespec left = {0};
    return nanosleep(&exact, &left) == 0 ? 0 : (unsigned)left.tv_sec;
}

static int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex,
                              struct lockkeeper_end end) {
    if (is_past(end)) {
        return ETIMEDOUT;
    }
    lockkeeper_wait_begin(end);
    lockkeeper_wait_on_condition(condition);
    const int result = pthread_cond_wait(condition, mutex);
    return lockkeeper_wait_end() ? ETIMEDOUT : result;
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t* restrict condition,
                                    pthread_mutex_t* restrict mutex,
                                    const struct timespec* restrict at) {
    if (lockkeeper_memory() == NULL) {
        /* The newest of its versions: what is called without one would be the oldest. */
        static int (*next)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
        if (next == NULL) {
            next = (__typeof__(next))dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
            next = next != NULL ? next : (__typeof__(next))lockkeeper_next("pthread_cond_timedwait");
        }
        return next(condition, mutex, at);
    }
    return wait_for_condition(condition, mutex, lockkeeper_moment(at));
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                    clockid_t clock, const struct timespec* at) {
    if (lockkeeper_memory() == NULL) {
        return NEXT(pthread_cond_clockwait)(condition, mutex, clock, at);
    }
    return wait_for_condition(condition, mutex, lockkeeper_moment(at));
}

static int wait_for_semaphore(sem_t* semaphore, struct lockkeeper_end end) {
    if (sem_trywait(semaphore) == 0) {
        return 0;
    }
    if (is_past(end)) {
        errno = ETIMEDOUT;
        return -1;
    }
    lockkeeper_wait_begin(end);
    const int result = sem_wait(semaphore);
    const int error = errno;
    const int fired = lockkeeper_wait_end();
    errno = result < 0 && fired ? ETIMEDOUT : error;
    return result;
}

EXPORTED int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict at) {
    return lockkeeper_memory() == NULL ? NEXT(sem_timedwait)(semaphore, at)
                                       : wait_for_semaphore(semaphore, lockkeeper_moment(at));
}

EXPORTED int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* at) {
    return lockkeeper_memory() == NULL ? NEXT(sem_clockwait)(semaphore, clock, at)
                                       : wait_for_semaphore(semaphore, lockkeeper_moment(at));
}

EXPORTED int pthread_sigmask(int how, const sigset_t* mask, sigset_t* before) {
    sigset_t copy;
    return NEXT(pthread_sigmask)(how, how == SIG_UNBLOCK ? mask : without_ours(mask, &copy),
                                 before);
}

EXPORTED int sigprocmask(int how, const sigset_t* mask, sigset_t* before) {
    sigset_t copy;
    return NEXT(sigprocmask)(how, how == SIG_UNBLOCK ? mask : without_ours(mask, &copy), before);
}
