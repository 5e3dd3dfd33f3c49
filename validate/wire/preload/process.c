// SPDX-License-Identifier: Apache-2.0

/* How a process is held: it maps the harness's memory, says that it is there, and answers the signal
 * that ends a wait. Works in every process that inherits LD_PRELOAD; without the two variables it
 * does nothing. */
#include "validate/wire/preload/files.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <unistd.h>

static struct lockkeeper_wire_memory* memory;
static int caller_number = -1;
static int own_pid;
static int shown_pid;
static pthread_key_t slot_key;
static __thread struct lockkeeper_wire_slot* slot;
static __thread void* waited_condition;

void* lockkeeper_next(const char* name) { return dlsym(RTLD_NEXT, name); }

struct lockkeeper_wire_memory* lockkeeper_memory(void) { return memory; }
int lockkeeper_caller(void) { return caller_number; }
int lockkeeper_process(void) { return own_pid; }
int lockkeeper_is_known_server(void) {
    return caller_number >= LOCKKEEPER_WIRE_SERVER &&
           __atomic_load_n(&memory->next_server_pid, __ATOMIC_ACQUIRE) == 0;
}
struct lockkeeper_wire_caller* lockkeeper_own(void) {
    return caller_number < LOCKKEEPER_WIRE_CALLERS ? &memory->callers[caller_number] : NULL;
}
int lockkeeper_wake_signal(void) { return SIGRTMAX - LOCKKEEPER_WIRE_SIGNAL_FROM_LAST; }

static int real_pid(void) { return (int)lockkeeper_kernel(SYS_getpid, 0, 0, 0); }

static int claim(int32_t* used) {
    int32_t none = 0;
    return __atomic_compare_exchange_n(used, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void register_process(int is_second) {
    own_pid = real_pid();
    if (lockkeeper_is_known_server()) {
        return; /* nobody asks, and PostgreSQL may have any number of them */
    }
    for (int i = 0; i < LOCKKEEPER_WIRE_PROCESSES; ++i) {
        struct lockkeeper_wire_process* process = &memory->processes[i];
        /* The same process after exec. */
        if (__atomic_load_n(&process->used, __ATOMIC_ACQUIRE) == 2 && process->pid == own_pid) {
            return;
        }
    }
    for (int i = 0; i < LOCKKEEPER_WIRE_PROCESSES; ++i) {
        struct lockkeeper_wire_process* process = &memory->processes[i];
        if (claim(&process->used)) {
            process->pid = own_pid;
            process->caller = caller_number;
            __atomic_store_n(&process->used, 2, __ATOMIC_RELEASE);
            return;
        }
    }
    /* Children that have ended by themselves, of a driver that starts a program for each call. */
    for (int i = 0; i < LOCKKEEPER_WIRE_PROCESSES && !is_second; ++i) {
        struct lockkeeper_wire_process* process = &memory->processes[i];
        if (__atomic_load_n(&process->used, __ATOMIC_ACQUIRE) == 2 &&
            syscall(SYS_kill, process->pid, 0) != 0 && errno == ESRCH) {
            __atomic_store_n(&process->used, 0, __ATOMIC_RELEASE);
        }
    }
    if (is_second) {
        abort(); /* more processes than the harness bears */
    }
    register_process(1);
}

/* Numbers that depend on nothing but the order in which a caller's processes begin. */
static void name_process(void) {
    struct lockkeeper_wire_caller* own = lockkeeper_own();
    int32_t* next = own != NULL ? &own->next_pid : &memory->next_server_pid;
    shown_pid = __atomic_load_n(next, __ATOMIC_ACQUIRE) == 0
                    ? own_pid
                    : __atomic_fetch_add(next, 1, __ATOMIC_ACQ_REL);
    for (int i = 0; i < LOCKKEEPER_WIRE_PROCESSES; ++i) {
        struct lockkeeper_wire_process* process = &memory->processes[i];
        if (__atomic_load_n(&process->used, __ATOMIC_ACQUIRE) == 2 && process->pid == own_pid) {
            __atomic_store_n(&process->shown, shown_pid, __ATOMIC_RELEASE);
        }
    }
}

static void after_fork(void) {
    slot = NULL;
    lockkeeper_forget_timers();
    lockkeeper_forget_connections();
    register_process(0);
    name_process();
}

static void release_slot(void* held) {
    struct lockkeeper_wire_slot* mine = held;
    __atomic_store_n(&mine->used, 0, __ATOMIC_RELEASE);
}

static void wake(int number) {
    (void)number;
    if (waited_condition != NULL) {
        /* Only ever while this thread sleeps inside of pthread_cond_wait. */
        pthread_cond_broadcast(waited_condition);
    }
}

__attribute__((constructor)) static void hold_process(void) {
    const char* path = getenv(LOCKKEEPER_WIRE_MEMORY);
    const char* number = getenv(LOCKKEEPER_WIRE_CALLER);
    if (path == NULL || number == NULL) {
        return;
    }
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    void* mapped = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) {
        return;
    }
    memory = mapped;
    caller_number = atoi(number);
    if (memory->magic != LOCKKEEPER_WIRE_MAGIC || caller_number < 0) {
        memory = NULL;
        return;
    }
    pthread_key_create(&slot_key, release_slot);
    pthread_atfork(NULL, NULL, after_fork);
    struct sigaction action = {0};
    action.sa_handler = wake; /* without SA_RESTART: the wait is to end */
    __typeof__(&sigaction) real = (__typeof__(&sigaction))lockkeeper_next("sigaction");
    real(lockkeeper_wake_signal(), &action, NULL);
    lockkeeper_hold_timers(real_pid());
    register_process(0);
    name_process();
    if (memory->files_folder[0] != 0) {
        lockkeeper_hold_inherited();
    }
}

EXPORTED pid_t getpid(void) { return memory == NULL ? real_pid() : shown_pid; }

/* The kernel's number of a held process that calls itself so: a file that says who holds a lock has
 * the other one. */
static int number_of(int shown) {
    for (int i = 0; i < LOCKKEEPER_WIRE_PROCESSES; ++i) {
        const struct lockkeeper_wire_process* process = &memory->processes[i];
        if (__atomic_load_n(&process->used, __ATOMIC_ACQUIRE) == 2 &&
            __atomic_load_n(&process->shown, __ATOMIC_ACQUIRE) == shown &&
            syscall(SYS_kill, process->pid, 0) == 0) {
            return process->pid;
        }
    }
    return shown;
}

EXPORTED int kill(pid_t pid, int number) {
    const int is_own = memory == NULL || pid == shown_pid || pid <= 0;
    return (int)syscall(SYS_kill, is_own && memory != NULL && pid > 0 ? own_pid
                                  : is_own                            ? pid
                                                                      : number_of(pid),
                        number);
}

static void free_slots_of_dead(void) {
    for (int i = 0; i < LOCKKEEPER_WIRE_SLOTS; ++i) {
        struct lockkeeper_wire_slot* found = &memory->slots[i];
        const int pid = found->pid;
        if (__atomic_load_n(&found->used, __ATOMIC_SEQ_CST) != 0 && pid > 0 &&
            syscall(SYS_kill, pid, 0) != 0 && errno == ESRCH) {
            found->waits = 0;
            __atomic_store_n(&found->used, 0, __ATOMIC_SEQ_CST);
        }
    }
}

/* Whoever ends by itself leaves nothing that seems to wait. */
__attribute__((destructor)) static void leave(void) {
    for (int i = 0; memory != NULL && i < LOCKKEEPER_WIRE_SLOTS; ++i) {
        struct lockkeeper_wire_slot* found = &memory->slots[i];
        if (__atomic_load_n(&found->used, __ATOMIC_SEQ_CST) != 0 && found->pid == own_pid) {
            found->waits = 0;
            __atomic_store_n(&found->used, 0, __ATOMIC_SEQ_CST);
        }
    }
}

/* Before anybody waits in it. */
static void show_slot(int number) {
    int32_t end = __atomic_load_n(&memory->slots_end, __ATOMIC_SEQ_CST);
    while (end <= number && !__atomic_compare_exchange_n(&memory->slots_end, &end, number + 1, 0,
                                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
}

struct lockkeeper_wire_slot* lockkeeper_new_slot(int kind) {
    static int tries;
    for (int i = 0; i < LOCKKEEPER_WIRE_SLOTS; ++i) {
        struct lockkeeper_wire_slot* found = &memory->slots[i];
        if (claim(&found->used)) {
            show_slot(i);
            found->waits = found->fired = 0;
            found->pid = own_pid;
            found->tid = (int)syscall(SYS_gettid);
            found->caller = caller_number;
            found->kind = kind;
            return found;
        }
    }
    if (tries++ == 0) {
        free_slots_of_dead();
        struct lockkeeper_wire_slot* found = lockkeeper_new_slot(kind);
        tries = 0;
        return found;
    }
    abort(); /* more than the harness bears */
}

static struct lockkeeper_wire_slot* own_slot(void) {
    if (slot == NULL) {
        slot = lockkeeper_new_slot(LOCKKEEPER_WIRE_WAIT);
        pthread_setspecific(slot_key, slot);
    }
    return slot;
}

void lockkeeper_refuse(const char* what) {
    struct lockkeeper_wire_caller* own = memory == NULL ? NULL : lockkeeper_own();
    if (own != NULL && __atomic_load_n(&own->refused[0], __ATOMIC_ACQUIRE) == 0) {
        for (size_t i = 1; what[i - 1] != 0 && what[i] != 0 && i + 1 < sizeof(own->refused); ++i) {
            own->refused[i] = what[i];
        }
        __atomic_store_n(&own->refused[0], what[0], __ATOMIC_RELEASE);
        lockkeeper_ring();
    }
}

void lockkeeper_ring(void) {
    struct lockkeeper_wire_caller* own = memory == NULL ? NULL : lockkeeper_own();
    if (own == NULL) {
        return;
    }
    __atomic_fetch_add(&own->bell, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&own->listens, __ATOMIC_SEQ_CST) != 0) {
        lockkeeper_kernel(SYS_futex, (long)&own->bell, FUTEX_WAKE, 1);
    }
}

int lockkeeper_is_readable(int file) {
    const int error = errno;
    struct pollfd wait = {.fd = file, .events = POLLIN};
    const struct timespec none = {0};
    const long ready = lockkeeper_kernel(SYS_ppoll, (long)&wait, 1, (long)&none);
    errno = error;
    return ready != 0;
}

int lockkeeper_ring_before_read(int file) {
    if (memory == NULL || lockkeeper_own() == NULL || lockkeeper_is_readable(file)) {
        return 0;
    }
    lockkeeper_ring();
    return 1;
}

static void begin_wait(struct lockkeeper_end end, int sleeps) {
    struct lockkeeper_wire_slot* mine = own_slot();
    mine->fired = mine->is_loop = 0;
    mine->sleeps = sleeps;
    /* Behind the end, as every real wait: Ruby waits on where the clock shows exactly the end. */
    mine->wall = end.wall == 0 ? 0 : end.wall + 1;
    mine->until = end.steady == LOCKKEEPER_NEVER
                      ? end.steady
                      : lockkeeper_wire_moment(end.steady + 1, lockkeeper_drift());
    __atomic_store_n(&mine->waits, 1, __ATOMIC_SEQ_CST);
    lockkeeper_ring();
}

void lockkeeper_wait_begin(struct lockkeeper_end end) { begin_wait(end, 0); }

void lockkeeper_sleep_begin(struct lockkeeper_end end) { begin_wait(end, 1); }
void lockkeeper_wait_of_loop(void) { own_slot()->is_loop = 1; }

int lockkeeper_wait_fired(void) { return __atomic_load_n(&own_slot()->fired, __ATOMIC_SEQ_CST); }

int lockkeeper_wait_end(void) {
    struct lockkeeper_wire_slot* mine = own_slot();
    __atomic_store_n(&mine->waits, 0, __ATOMIC_SEQ_CST);
    waited_condition = NULL;
    return mine->fired;
}

void lockkeeper_wait_on_condition(void* condition) { waited_condition = condition; }

void lockkeeper_sleep_until_fired(void) {
    struct lockkeeper_wire_slot* mine = own_slot();
    while (__atomic_load_n(&mine->fired, __ATOMIC_SEQ_CST) == 0) {
        lockkeeper_kernel(SYS_futex, (long)&mine->fired, FUTEX_WAIT, 0);
        if (errno == EINTR && __atomic_load_n(&mine->fired, __ATOMIC_SEQ_CST) == 0) {
            return; /* a signal of the program's own */
        }
    }
}
