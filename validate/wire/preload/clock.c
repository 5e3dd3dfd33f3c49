// SPDX-License-Identifier: Apache-2.0

/* The harness's clock in place of the machine's. */
#include "validate/wire/preload/preload.h"

#include <sys/time.h>

#define SECOND 1000000000LL

int64_t lockkeeper_drift(void) {
    const struct lockkeeper_wire_caller* own = lockkeeper_own();
    return own == NULL ? 0 : own->clock_drift;
}

int64_t lockkeeper_now(void) {
    return lockkeeper_wire_shown(__atomic_load_n(&lockkeeper_memory()->now, __ATOMIC_SEQ_CST),
                                 lockkeeper_drift());
}

int64_t lockkeeper_offset(void) {
    const struct lockkeeper_wire_caller* own = lockkeeper_own();
    const int server = lockkeeper_caller() - LOCKKEEPER_WIRE_SERVER;
    if (own == NULL) {
        return server >= 0 && server < LOCKKEEPER_WIRE_SERVERS
                   ? lockkeeper_memory()->server_offsets[server]
                   : 0;
    }
    return own->clock_offset;
}

int64_t lockkeeper_from_timespec(const struct timespec* time) {
    /* What is later than any clock of ours is never. */
    return time->tv_sec > 4000000000LL ? LOCKKEEPER_NEVER
                                       : (int64_t)time->tv_sec * SECOND + time->tv_nsec;
}

static struct timespec read_clock(clockid_t clock) {
    int64_t now = lockkeeper_now();
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI) {
        now += lockkeeper_offset();
    } else {
        now -= LOCKKEEPER_WIRE_BOOT_SECONDS * SECOND;
    }
    struct timespec out = {.tv_sec = now / SECOND, .tv_nsec = now % SECOND};
    return out;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec* out) {
    if (lockkeeper_memory() == NULL) {
        return NEXT(clock_gettime)(clock, out);
    }
    *out = read_clock(clock);
    return 0;
}

EXPORTED int gettimeofday(struct timeval* restrict out, void* restrict zone) {
    if (lockkeeper_memory() == NULL) {
        return NEXT(gettimeofday)(out, zone);
    }
    const struct timespec now = read_clock(CLOCK_REALTIME);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

EXPORTED time_t time(time_t* out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}

EXPORTED int timespec_get(struct timespec* out, int base) {
    return clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}
