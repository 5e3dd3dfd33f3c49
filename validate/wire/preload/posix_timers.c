// SPDX-License-Identifier: Apache-2.0

/* Timers of timer_create. Where one ends by a signal, the harness sends it; where it ends in a thread,
 * a thread of this process waits for the harness, and starts it. */
#include "validate/wire/preload/preload.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#define SECOND 1000000000LL
#define TIMERS 64
#define FIRST_NAME 0x4c4b0000

struct timer {
    struct lockkeeper_wire_slot* slot; /* null: none */
    int is_wall;
    void (*function)(union sigval);
    union sigval value;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct timer timers[TIMERS];

void lockkeeper_forget_posix_timers(void) {
    for (int i = 0; i < TIMERS; ++i) {
        timers[i].slot = NULL;
    }
}

static struct timer* timer_named(timer_t name) {
    const long number = (long)name - FIRST_NAME;
    return lockkeeper_memory() != NULL && number >= 0 && number < TIMERS &&
                   timers[number].slot != NULL
               ? &timers[number]
               : NULL;
}

static void* run_once(void* given) {
    struct timer* timer = given;
    timer->function(timer->value);
    return NULL;
}

static void start_detached(void* (*function)(void*), void* given) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are those of the program's own threads */
    if (pthread_create(&thread, &attributes, function, given) != 0) {
        lockkeeper_refuse("timer_create without room for a thread");
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* Until the timer is deleted. */
static void* run_at_each_end(void* given) {
    struct timer* timer = given;
    struct lockkeeper_wire_slot* slot = timer->slot;
    while (__atomic_load_n(&timer->slot, __ATOMIC_SEQ_CST) == slot) {
        if (__atomic_exchange_n(&slot->fired, 0, __ATOMIC_SEQ_CST) > 0) {
            start_detached(run_once, timer);
            continue;
        }
        lockkeeper_kernel(SYS_futex, (long)&slot->fired, FUTEX_WAIT, 0);
    }
    slot->waits = 0;
    __atomic_store_n(&slot->used, 0, __ATOMIC_SEQ_CST);
    return NULL;
}

static void begin(struct timer* timer, clockid_t clock, const struct sigevent* event, timer_t name) {
    const int kind = event == NULL ? SIGEV_SIGNAL : event->sigev_notify;
    struct lockkeeper_wire_slot* slot = lockkeeper_new_slot(
        kind == SIGEV_THREAD ? LOCKKEEPER_WIRE_THREADS : LOCKKEEPER_WIRE_SIGNALS);
    timer->is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM;
    slot->signal = event == NULL ? SIGALRM : kind == SIGEV_NONE ? 0 : event->sigev_signo;
    slot->value = event == NULL ? (int64_t)name : (int64_t)(intptr_t)event->sigev_value.sival_ptr;
    slot->tid = kind == SIGEV_THREAD_ID ? event->_sigev_un._tid : 0;
    __atomic_store_n(&timer->slot, slot, __ATOMIC_SEQ_CST);
    if (kind == SIGEV_THREAD) {
        timer->function = event->sigev_notify_function;
        timer->value = event->sigev_value;
        start_detached(run_at_each_end, timer);
    }
}

EXPORTED int timer_create(clockid_t clock, struct sigevent* restrict event, timer_t* restrict out) {
    if (lockkeeper_memory() == NULL) {
        return NEXT(timer_create)(clock, event, out);
    }
    int number = 0;
    pthread_mutex_lock(&guard);
    while (number < TIMERS && timers[number].slot != NULL) {
        ++number;
    }
    if (number < TIMERS) {
        *out = (timer_t)(long)(FIRST_NAME + number);
        begin(&timers[number], clock, event, *out);
    }
    pthread_mutex_unlock(&guard);
    errno = number < TIMERS ? errno : EAGAIN;
    return number < TIMERS ? 0 : -1;
}

static struct timespec as_timespec(int64_t length) {
    const struct timespec time = {.tv_sec = length / SECOND, .tv_nsec = length % SECOND};
    return time;
}

EXPORTED int timer_gettime(timer_t name, struct itimerspec* out) {
    const struct timer* timer = timer_named(name);
    if (timer == NULL) {
        return NEXT(timer_gettime)(name, out);
    }
    const int64_t left = lockkeeper_left(timer->slot);
    out->it_value = as_timespec(left);
    out->it_interval = as_timespec(left == 0 ? 0 : timer->slot->interval);
    return 0;
}

EXPORTED int timer_settime(timer_t name, int flags, const struct itimerspec* restrict asked,
                           struct itimerspec* restrict before) {
    struct timer* timer = timer_named(name);
    if (timer == NULL) {
        return NEXT(timer_settime)(name, flags, asked, before);
    }
    if (before != NULL) {
        timer_gettime(name, before);
    }
    lockkeeper_arm_at(timer->slot, timer->is_wall, (flags & TIMER_ABSTIME) != 0, asked);
    return 0;
}

/* Each end is told. */
EXPORTED int timer_getoverrun(timer_t name) {
    return timer_named(name) != NULL ? 0 : NEXT(timer_getoverrun)(name);
}

EXPORTED int timer_delete(timer_t name) {
    struct timer* timer = timer_named(name);
    if (timer == NULL) {
        return NEXT(timer_delete)(name);
    }
    struct lockkeeper_wire_slot* slot = timer->slot;
    __atomic_store_n(&timer->slot, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&slot->waits, 0, __ATOMIC_SEQ_CST);
    if (slot->kind == LOCKKEEPER_WIRE_THREADS) { /* its thread gives the slot back */
        lockkeeper_kernel(SYS_futex, (long)&slot->fired, FUTEX_WAKE, 1);
    } else {
        __atomic_store_n(&slot->used, 0, __ATOMIC_SEQ_CST);
    }
    return 0;
}
