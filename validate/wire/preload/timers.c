// SPDX-License-Identifier: Apache-2.0

/* Timers of a process: setitimer and alarm, of which there is one, and timerfds. They end when the
 * harness says so. SIGALRM is then sent by the harness. A timerfd is an eventfd that counts its
 * ends: the harness sends a signal, and its handler adds to the count. */
#include "validate/wire/preload/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define MICROSECOND 1000LL
#define TIMERS 64

struct timer {
    int file;     /* the process's */
    int own_file; /* the same for the handler, which the process does not close */
    int is_wall;
    struct lockkeeper_wire_slot* slot; /* null: none */
};

static struct lockkeeper_wire_slot* alarm_slot;
static struct timer timers[TIMERS];
__thread int lockkeeper_timer_came;

void lockkeeper_arm(struct lockkeeper_wire_slot* timer, struct lockkeeper_end end, int64_t interval) {
    __atomic_store_n(&timer->waits, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&timer->fired, 0, __ATOMIC_SEQ_CST);
    if (end.steady == LOCKKEEPER_NEVER) {
        return;
    }
    timer->steady = end.steady;
    timer->wall = end.wall;
    timer->interval = interval;
    timer->until = lockkeeper_wire_moment(end.steady + 1, lockkeeper_drift());
    __atomic_store_n(&timer->waits, 1, __ATOMIC_SEQ_CST);
}

void lockkeeper_arm_at(struct lockkeeper_wire_slot* timer, int is_wall, int is_moment,
                       const struct itimerspec* asked) {
    const int64_t length = lockkeeper_from_timespec(&asked->it_value);
    struct lockkeeper_end end = {LOCKKEEPER_NEVER, 0};
    if (is_moment && length > 0) {
        end.steady = is_wall ? length - lockkeeper_offset()
                             : length + LOCKKEEPER_WIRE_BOOT_SECONDS * SECOND;
        end.wall = is_wall ? length : 0;
    } else if (length > 0) {
        end = lockkeeper_after(length);
    }
    lockkeeper_arm(timer, end, lockkeeper_from_timespec(&asked->it_interval));
}

int64_t lockkeeper_left(const struct lockkeeper_wire_slot* timer) {
    if (timer == NULL || __atomic_load_n(&timer->waits, __ATOMIC_SEQ_CST) == 0) {
        return 0;
    }
    const int64_t left = timer->wall != 0 ? timer->wall - lockkeeper_offset() - lockkeeper_now()
                                          : timer->steady - lockkeeper_now();
    return left > 0 ? left : 1;
}

static void timer_signal(int number) {
    const int error = errno;
    (void)number;
    for (int i = 0; i < TIMERS; ++i) {
        struct lockkeeper_wire_slot* slot = __atomic_load_n(&timers[i].slot, __ATOMIC_SEQ_CST);
        const int ends = slot == NULL ? 0 : __atomic_exchange_n(&slot->fired, 0, __ATOMIC_SEQ_CST);
        if (ends > 0) {
            const uint64_t count = (uint64_t)ends;
            (void)!write(timers[i].own_file, &count, sizeof(count));
        }
    }
    lockkeeper_timer_came = 1;
    lockkeeper_ring();
    errno = error;
}

/* After exec a process has its alarm still, and no thread and no timerfd that it knows of. */
static void take_over(int pid) {
    struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    for (int i = 0; i < LOCKKEEPER_WIRE_SLOTS; ++i) {
        struct lockkeeper_wire_slot* slot = &memory->slots[i];
        if (__atomic_load_n(&slot->used, __ATOMIC_SEQ_CST) == 0 || slot->pid != pid) {
            continue;
        }
        if (slot->kind == LOCKKEEPER_WIRE_ALARM && alarm_slot == NULL) {
            alarm_slot = slot;
        } else {
            slot->waits = 0;
            __atomic_store_n(&slot->used, 0, __ATOMIC_SEQ_CST);
        }
    }
}

void lockkeeper_hold_timers(int pid) {
    take_over(pid);
    struct sigaction action = {0};
    action.sa_handler = timer_signal;
    action.sa_flags = SA_RESTART; /* nobody is to notice */
    __typeof__(&sigaction) real = (__typeof__(&sigaction))lockkeeper_next("sigaction");
    real(SIGRTMAX - LOCKKEEPER_WIRE_TIMER_FROM_LAST, &action, NULL);
}

/* Timerfds are shared with the parent, whose slots they have. */
void lockkeeper_forget_timers(void) {
    alarm_slot = NULL;
    lockkeeper_forget_posix_timers();
}

static int64_t length_of(const struct timeval* time) {
    return (int64_t)time->tv_sec * SECOND + (int64_t)time->tv_usec * MICROSECOND;
}

EXPORTED int getitimer(__itimer_which_t which, struct itimerval* out) {
    if (lockkeeper_memory() == NULL || which != ITIMER_REAL) {
        return NEXT(getitimer)(which, out);
    }
    const int64_t left = (lockkeeper_left(alarm_slot) + MICROSECOND - 1) / MICROSECOND;
    const int64_t interval = left == 0 ? 0 : alarm_slot->interval / MICROSECOND;
    out->it_value.tv_sec = left / 1000000;
    out->it_value.tv_usec = left % 1000000;
    out->it_interval.tv_sec = interval / 1000000;
    out->it_interval.tv_usec = interval % 1000000;
    return 0;
}

EXPORTED int setitimer(__itimer_which_t which, const struct itimerval* restrict timer,
                       struct itimerval* restrict before) {
    if (lockkeeper_memory() == NULL || which != ITIMER_REAL) {
        return NEXT(setitimer)(which, timer, before);
    }
    if (before != NULL) {
        getitimer(which, before);
    }
    if (timer == NULL) {
        return 0;
    }
    const int64_t length = length_of(&timer->it_value);
    if (alarm_slot == NULL && length > 0) {
        alarm_slot = lockkeeper_new_slot(LOCKKEEPER_WIRE_ALARM);
    }
    if (alarm_slot != NULL) {
        lockkeeper_arm(alarm_slot, lockkeeper_after(length > 0 ? length : LOCKKEEPER_NEVER),
                       length_of(&timer->it_interval));
    }
    return 0;
}

/* Rounded as the kernel does. */
EXPORTED unsigned alarm(unsigned seconds) {
    struct itimerval timer = {0};
    struct itimerval before = {0};
    timer.it_value.tv_sec = seconds;
    setitimer(ITIMER_REAL, &timer, &before);
    const unsigned left = (unsigned)before.it_value.tv_sec;
    return before.it_value.tv_usec >= 500000 || (left == 0 && before.it_value.tv_usec > 0)
               ? left + 1
               : left;
}

EXPORTED useconds_t ualarm(useconds_t length, useconds_t interval) {
    struct itimerval timer = {0};
    struct itimerval before = {0};
    timer.it_value.tv_sec = length / 1000000;
    timer.it_value.tv_usec = length % 1000000;
    timer.it_interval.tv_sec = interval / 1000000;
    timer.it_interval.tv_usec = interval % 1000000;
    setitimer(ITIMER_REAL, &timer, &before);
    return (useconds_t)(before.it_value.tv_sec * 1000000 + before.it_value.tv_usec);
}

static struct timer* timer_of(int file) {
    for (int i = 0; i < TIMERS; ++i) {
        if (timers[i].slot != NULL && timers[i].file == file) {
            return &timers[i];
        }
    }
    return NULL;
}

EXPORTED int timerfd_create(int clock, int flags) {
    if (lockkeeper_memory() == NULL) {
        return NEXT(timerfd_create)(clock, flags);
    }
    struct timer* free_one = NULL;
    for (int i = 0; i < TIMERS && free_one == NULL; ++i) {
        free_one = timers[i].slot == NULL ? &timers[i] : NULL;
    }
    const int file = free_one == NULL
                         ? -1
                         : eventfd(0, ((flags & TFD_CLOEXEC) != 0 ? EFD_CLOEXEC : 0) |
                                          ((flags & TFD_NONBLOCK) != 0 ? EFD_NONBLOCK : 0));
    if (file < 0) {
        errno = EMFILE;
        return -1;
    }
    free_one->file = file;
    free_one->own_file = fcntl(file, F_DUPFD_CLOEXEC, 200);
    free_one->is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM;
    __atomic_store_n(&free_one->slot, lockkeeper_new_slot(LOCKKEEPER_WIRE_TIMERFD),
                     __ATOMIC_SEQ_CST);
    return file;
}

static struct timespec as_timespec(int64_t length) {
    const struct timespec time = {.tv_sec = length / SECOND, .tv_nsec = length % SECOND};
    return time;
}

EXPORTED int timerfd_gettime(int file, struct itimerspec* out) {
    const struct timer* timer = timer_of(file);
    if (timer == NULL) {
        return NEXT(timerfd_gettime)(file, out);
    }
    const int64_t left = lockkeeper_left(timer->slot);
    out->it_value = as_timespec(left);
    out->it_interval = as_timespec(left == 0 ? 0 : timer->slot->interval);
    return 0;
}

EXPORTED int timerfd_settime(int file, int flags, const struct itimerspec* asked,
                             struct itimerspec* before) {
    struct timer* timer = timer_of(file);
    if (timer == NULL) {
        return NEXT(timerfd_settime)(file, flags, asked, before);
    }
    if (before != NULL) {
        timerfd_gettime(file, before);
    }
    uint64_t forgotten = 0;
    const int status = fcntl(timer->own_file, F_GETFL);
    fcntl(timer->own_file, F_SETFL, status | O_NONBLOCK);
    (void)!read(timer->own_file, &forgotten, sizeof(forgotten));
    fcntl(timer->own_file, F_SETFL, status);
    lockkeeper_arm_at(timer->slot, timer->is_wall, (flags & TFD_TIMER_ABSTIME) != 0, asked);
    return 0;
}

EXPORTED int close(int file) {
    lockkeeper_close_file(file);
    lockkeeper_forget_limits(file);
    struct timer* timer = lockkeeper_memory() == NULL ? NULL : timer_of(file);
    if (timer != NULL) {
        struct lockkeeper_wire_slot* slot = timer->slot;
        __atomic_store_n(&timer->slot, NULL, __ATOMIC_SEQ_CST);
        NEXT(close)(timer->own_file);
        /* Of a timer that was inherited, the parent goes on. */
        if (slot->pid == lockkeeper_process()) {
            __atomic_store_n(&slot->waits, 0, __ATOMIC_SEQ_CST);
            __atomic_store_n(&slot->used, 0, __ATOMIC_SEQ_CST);
        }
    }
    static int (*next)(int);
    next = next != NULL ? next : NEXT(close);
    return next(file);
}
