// SPDX-License-Identifier: Apache-2.0

/* What reaches the kernel by syscall(): the same as by the C library's own functions. C++20's timed
 * semaphores and futures wait so, as do Rust's standard library and Abseil. */
#include "validate/wire/preload/preload.h"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static long go_on(long number, const long* words) {
    static long (*next)(long, ...);
    if (next == NULL) {
        next = NEXT(syscall);
    }
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

long lockkeeper_kernel(long number, long first, long second, long third) {
    const long words[6] = {first, second, third, 0, 0, 0};
    return go_on(number, words);
}

long lockkeeper_kernel4(long number, long first, long second, long third, long fourth) {
    return lockkeeper_kernel5(number, first, second, third, fourth, 0);
}

long lockkeeper_kernel5(long number, long first, long second, long third, long fourth, long fifth) {
    const long words[6] = {first, second, third, fourth, fifth, 0};
    return go_on(number, words);
}

/* Its time limit is a length of FUTEX_WAIT, and else a moment. */
static long wait_for_futex(long* words) {
    const int command = (int)words[1] & FUTEX_CMD_MASK;
    const struct timespec* limit = (const struct timespec*)words[3];
    static const struct timespec none = {0};
    enum { kLockPi2 = 13 }; /* which Debian's headers lack */
    const int waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
    const int inherits = command == FUTEX_LOCK_PI || command == kLockPi2 ||
                         command == FUTEX_WAIT_REQUEUE_PI;
    if (inherits && limit != NULL) {
        lockkeeper_refuse("a futex that inherits priorities");
    }
    if (waits && limit == NULL) {
        lockkeeper_ring();
    }
    if (!waits || limit == NULL || lockkeeper_is_known_server()) {
        return go_on(SYS_futex, words);
    }
    const struct lockkeeper_end end = command == FUTEX_WAIT
                                          ? lockkeeper_after(lockkeeper_from_timespec(limit))
                                          : lockkeeper_moment(limit);
    const int is_past = end.steady <= lockkeeper_now();
    words[3] = is_past ? (long)&none : 0;
    if (is_past) {
        return go_on(SYS_futex, words);
    }
    lockkeeper_wait_begin(end);
    const long result = go_on(SYS_futex, words);
    const int error = errno;
    const int fired = lockkeeper_wait_end();
    errno = result < 0 && error == EINTR && fired ? ETIMEDOUT : error;
    return result;
}

/* True: done, with its result in `out`. */
static int instead(long number, long* words, long* out) {
    switch (number) {
        case SYS_getrandom: lockkeeper_random((void*)words[0], (size_t)words[1]); *out = words[1]; return 1;
        case SYS_futex: *out = wait_for_futex(words); return 1;
        case SYS_getpid: *out = getpid(); return 1;
        /* As Node.js asks for the times of a file. */
        case SYS_statx:
            *out = statx((int)words[0], (const char*)words[1], (int)words[2], (unsigned)words[3],
                         (struct statx*)words[4]);
            return 1;
        case SYS_renameat2:
            *out = renameat2((int)words[0], (const char*)words[1], (int)words[2], (const char*)words[3],
                             (unsigned)words[4]);
            return 1;
        case SYS_clock_gettime: *out = clock_gettime((clockid_t)words[0], (struct timespec*)words[1]); return 1;
        case SYS_gettimeofday: *out = gettimeofday((struct timeval*)words[0], (void*)words[1]); return 1;
        case SYS_nanosleep:
            *out = nanosleep((const struct timespec*)words[0], (struct timespec*)words[1]);
            return 1;
        case SYS_clock_nanosleep:
            errno = clock_nanosleep((clockid_t)words[0], (int)words[1], (const struct timespec*)words[2],
                                    (struct timespec*)words[3]);
            *out = errno == 0 ? 0 : -1;
            return 1;
        case SYS_ppoll:
            *out = ppoll((struct pollfd*)words[0], (nfds_t)words[1], (const struct timespec*)words[2],
                         (const sigset_t*)words[3]);
            return 1;
        case SYS_epoll_pwait:
            *out = epoll_pwait((int)words[0], (struct epoll_event*)words[1], (int)words[2], (int)words[3],
                               (const sigset_t*)words[4]);
            return 1;
#ifdef SYS_epoll_wait
        case SYS_epoll_wait:
            *out = epoll_wait((int)words[0], (struct epoll_event*)words[1], (int)words[2], (int)words[3]);
            return 1;
        case SYS_poll:
            *out = poll((struct pollfd*)words[0], (nfds_t)words[1], (int)words[2]);
            return 1;
        case SYS_time: *out = time((time_t*)words[0]); return 1;
#endif
        /* As of a kernel that does not have it: whoever waits there cannot be given a clock. */
        case SYS_io_uring_setup: errno = ENOSYS; *out = -1; return 1;
        default: return 0;
    }
}

EXPORTED long syscall(long number, ...) {
    long words[6];
    long result = 0;
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; ++i) {
        words[i] = va_arg(rest, long);
    }
    va_end(rest);
    if (lockkeeper_memory() != NULL && instead(number, words, &result)) {
        return result;
    }
#ifdef SYS_futex_waitv
    if (lockkeeper_memory() != NULL && number == SYS_futex_waitv && words[3] != 0) {
        lockkeeper_refuse("futex_waitv");
    }
#endif
    return go_on(number, words);
}
