// SPDX-License-Identifier: Apache-2.0

/* What the files of the preloaded library share. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "validate/wire/preload/shared.h"

#define EXPORTED __attribute__((visibility("default")))
/* The function of this name that would have been called without the library. */
#define NEXT(name) ((__typeof__(&name))lockkeeper_next(#name))

void* lockkeeper_next(const char* name);

/* Null: this process is not held, and everything is passed on. */
struct lockkeeper_wire_memory* lockkeeper_memory(void);
int lockkeeper_caller(void);                         /* LOCKKEEPER_WIRE_SERVER or more: a server */
int lockkeeper_process(void);                        /* as the kernel numbers it */
int lockkeeper_is_known_server(void);                /* one, and not of --wire tcp */
struct lockkeeper_wire_caller* lockkeeper_own(void); /* null: a server */
int lockkeeper_wake_signal(void);

/* The caller's steady clock in nanoseconds since 1970: with its drift, and never set. Its wall
 * clock is `offset` ahead of it. */
int64_t lockkeeper_now(void);
int64_t lockkeeper_offset(void);
int64_t lockkeeper_drift(void);
int64_t lockkeeper_from_timespec(const struct timespec* time);

#define LOCKKEEPER_NEVER INT64_MAX
struct lockkeeper_end {
    int64_t steady; /* by that clock as it runs now; or LOCKKEEPER_NEVER */
    int64_t wall;   /* by the wall clock, where that was asked for: it may be set meanwhile; or 0 */
};

/* A wait with a time limit: begin, block in the kernel without one, end. True: the harness has
 * said that the time has come. */
void lockkeeper_wait_begin(struct lockkeeper_end end);
/* The same for nothing but the time. */
void lockkeeper_sleep_begin(struct lockkeeper_end end);
int lockkeeper_wait_fired(void);
void lockkeeper_wait_of_loop(void); /* between begin and end */
int lockkeeper_wait_end(void);
/* A slot of the process, not of a thread. */
struct lockkeeper_wire_slot* lockkeeper_new_slot(int kind);
void lockkeeper_arm(struct lockkeeper_wire_slot* timer, struct lockkeeper_end end,
                    int64_t interval);
/* As timerfd_settime and timer_settime are asked: after so long, or at a moment of its clock. */
void lockkeeper_arm_at(struct lockkeeper_wire_slot* timer, int is_wall, int is_moment,
                       const struct itimerspec* asked);
/* How long it still runs; 0: it does not. */
int64_t lockkeeper_left(const struct lockkeeper_wire_slot* timer);
void lockkeeper_hold_timers(int pid);
void lockkeeper_forget_timers(void); /* in a child: it has none */
void lockkeeper_forget_posix_timers(void);
/* A call that a timer's signal has interrupted, and nothing else, goes on. */
extern __thread int lockkeeper_timer_came;
#define LOCKKEEPER_GOES_ON(result, call) \
    do {                                 \
        lockkeeper_timer_came = 0;       \
        (result) = (call);               \
    } while ((result) < 0 && errno == EINTR && lockkeeper_timer_came)

struct lockkeeper_end lockkeeper_after(int64_t length);
struct lockkeeper_end lockkeeper_moment(const struct timespec* at);

/* What the signal has to wake; null: the signal alone does. */
void lockkeeper_wait_on_condition(void* condition);
void lockkeeper_sleep_until_fired(void);

/* As syscall() without the library. */
long lockkeeper_kernel(long number, long first, long second, long third);
long lockkeeper_kernel4(long number, long first, long second, long third, long fourth);
long lockkeeper_kernel5(long number, long first, long second, long third, long fourth, long fifth);

/* The caller waits by this, with a time limit that cannot be given a clock: it cannot be judged. */
void lockkeeper_refuse(const char* what);

/* A wait of a socket that has SO_RCVTIMEO is as one with a time limit; see sockets.c. */
void lockkeeper_forget_limits(int file);

/* This thread is about to wait. */
void lockkeeper_ring(void);
/* The same, unless there is something to read. True: it waits. */
int lockkeeper_ring_before_read(int file);
/* There is, or it is at its end. */
int lockkeeper_is_readable(int file);

void lockkeeper_random(void* out, size_t size);
