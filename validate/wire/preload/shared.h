// SPDX-License-Identifier: Apache-2.0

/* The memory that the harness shares with every process it holds: the clock, who sleeps until when,
 * and what each caller's random numbers begin with. Read as C by the preloaded library and as C++
 * by the harness; both on the same machine, so that plain members with atomic access will do.
 */
#pragma once

#include <stdint.h>

#define LOCKKEEPER_WIRE_MAGIC 0x6c6b7769
#define LOCKKEEPER_WIRE_CALLERS 24
#define LOCKKEEPER_WIRE_SLOTS 512
#define LOCKKEEPER_WIRE_PROCESSES 256
#define LOCKKEEPER_WIRE_SERVERS 8
#define LOCKKEEPER_WIRE_REFUSED_MAX 48
#define LOCKKEEPER_WIRE_RESULT_MAX 24
#define LOCKKEEPER_WIRE_FILES 512
/* The caller's number of the first of the servers themselves; the others follow. */
#define LOCKKEEPER_WIRE_SERVER 0xFF
/* How far the monotonic clock lies behind the wall clock: seconds. */
#define LOCKKEEPER_WIRE_BOOT_SECONDS 1700000000
/* Every run begins at this moment, 2024-01-01: nanoseconds since 1970. */
#define LOCKKEEPER_WIRE_BEGINNING 1704067200000000000LL
/* A clock's drift is counted in millionths. */
#define LOCKKEEPER_WIRE_MILLION 1000000LL
/* What wakes a thread whose time has come, counted back from SIGRTMAX. */
#define LOCKKEEPER_WIRE_SIGNAL_FROM_LAST 3

/* What tells a process that a timer of it has come to its end, without interrupting it. */
#define LOCKKEEPER_WIRE_TIMER_FROM_LAST 4

/* The environment of a held process: the path of this memory, and its caller's number. */
#define LOCKKEEPER_WIRE_MEMORY "LOCKKEEPER_WIRE_MEMORY"
#define LOCKKEEPER_WIRE_CALLER "LOCKKEEPER_WIRE_CALLER"

/* What a slot is of. */
#define LOCKKEEPER_WIRE_WAIT 0
#define LOCKKEEPER_WIRE_ALARM 1   /* setitimer: SIGALRM to the process */
#define LOCKKEEPER_WIRE_TIMERFD 2 /* timerfd: so many ends more, and the signal above */
#define LOCKKEEPER_WIRE_SIGNALS 3 /* timer_create: its signal, with its value */
#define LOCKKEEPER_WIRE_THREADS 4 /* timer_create: so many ends more; a thread waits for them */

/* One thread that has ever waited with a time limit, or a timer of the process. */
struct lockkeeper_wire_slot {
    int32_t used;
    int32_t pid;
    int32_t tid;
    int32_t caller;
    int32_t waits; /* 1: asleep until `until` */
    int32_t fired; /* set by the harness with the signal: the time has come; so often */
    int32_t kind;
    int32_t signal;  /* LOCKKEEPER_WIRE_SIGNALS */
    int32_t is_loop; /* a wait of epoll: of a loop that may go on to wait without having done
                        anything */
    int32_t sleeps;  /* 1: and waits for nothing but the time */
    int64_t value;
    int64_t until;    /* nanoseconds of the harness's clock */
    int64_t wall;     /* until when by the caller's wall clock, where that decides; or 0 */
    int64_t steady;   /* a timer: the same by its steady clock */
    int64_t interval; /* a timer: and then again and again; or 0 */
};

/* One process that has loaded the library, by fork or exec. */
struct lockkeeper_wire_process {
    int32_t used;
    int32_t pid;
    int32_t caller;
    int32_t shown; /* what it calls itself */
};

struct lockkeeper_wire_caller {
    int64_t clock_offset;  /* nanoseconds, of its wall clock, with the jumps so far */
    int64_t clock_drift;   /* so many millionths both its clocks are too fast; negative: too slow */
    uint64_t random_epoch; /* another one: random numbers begin anew */
    uint64_t random_seed;
    int32_t next_pid; /* what the next process calls itself */
    /* Rung by a thread of the caller that is about to wait, where the harness listens: a hint when
     * to look, and no more. */
    uint32_t bell;
    uint32_t listens;
    char refused[LOCKKEEPER_WIRE_REFUSED_MAX]; /* what it waits by with a time limit that cannot be
                                                  given a clock; or "" */
    uint32_t timer_calls; /* another number: a timer of Node.js has called its function */
    uint32_t cut_off;     /* a bit for each server that it does not reach */
    uint32_t refused_at;  /* a bit for each server that has refused a connection */
    uint32_t tcp_port;    /* where the harness listens for programs that are not held; 0: nowhere */
    char file_result[LOCKKEEPER_WIRE_RESULT_MAX]; /* of its last call on the folder of files */
};

/* A file of --wire files, as programs see it. */
struct lockkeeper_wire_file {
    uint64_t inode;  /* the kernel's number of it, which the next file may have again */
    uint64_t number; /* its own */
    int64_t accessed;
    int64_t written;
    int64_t altered;
    int64_t made;
};

struct lockkeeper_wire_memory {
    uint32_t magic;
    uint32_t servers_count;
    int64_t now; /* nanoseconds since 1970, as a clock without offset and drift shows them */
    uint16_t ports[LOCKKEEPER_WIRE_SERVERS];
    int32_t is_down[LOCKKEEPER_WIRE_SERVERS];
    int64_t server_offsets[LOCKKEEPER_WIRE_SERVERS]; /* nanoseconds, of their wall clocks */
    int32_t slots_end;                               /* no slot from here on has ever been used */
    int32_t next_server_pid; /* what the next process of a server that is not known calls itself; 0:
                                one that is */
    char directory[96];      /* of the sockets: DIRECTORY/c<caller>.<server> */
    char files_folder[112];  /* each call on it is a step; "": there is none */
    uint32_t files_count;
    uint32_t file_numbers;
    struct lockkeeper_wire_caller callers[LOCKKEEPER_WIRE_CALLERS];
    struct lockkeeper_wire_process processes[LOCKKEEPER_WIRE_PROCESSES];
    struct lockkeeper_wire_slot slots[LOCKKEEPER_WIRE_SLOTS];
    struct lockkeeper_wire_file files[LOCKKEEPER_WIRE_FILES];
};

/* What a clock with this drift shows at `now`, which is the beginning or later. */
static inline int64_t lockkeeper_wire_shown(int64_t now, int64_t drift) {
    const int64_t passed = now - LOCKKEEPER_WIRE_BEGINNING;
    const int64_t rate = LOCKKEEPER_WIRE_MILLION + drift;
    return LOCKKEEPER_WIRE_BEGINNING + passed / LOCKKEEPER_WIRE_MILLION * rate +
           passed % LOCKKEEPER_WIRE_MILLION * rate / LOCKKEEPER_WIRE_MILLION;
}

/* The first moment from the beginning on at which it shows `shown` or more. */
static inline int64_t lockkeeper_wire_moment(int64_t shown, int64_t drift) {
    const int64_t passed = shown - LOCKKEEPER_WIRE_BEGINNING;
    const int64_t rate = LOCKKEEPER_WIRE_MILLION + drift;
    if (passed <= 0) {
        return LOCKKEEPER_WIRE_BEGINNING;
    }
    return LOCKKEEPER_WIRE_BEGINNING + passed / rate * LOCKKEEPER_WIRE_MILLION +
           (passed % rate * LOCKKEEPER_WIRE_MILLION + rate - 1) / rate;
}
