// SPDX-License-Identifier: Apache-2.0

/* Calls on open files of the folder, with the locks on them. A lock that somebody waits for is tried
 * again, as a step, when the harness sees that it has become free: which of those who wait gets it is
 * a choice. */
#include "validate/wire/preload/files.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char names[LOCKKEEPER_HELD_FILES][LOCKKEEPER_FILE_NAME]; /* "": not held */
/* What may end with it: a lock of flock() or of its own range; the process's locks on its ranges. */
enum { kOwnLock = 1, kLockOfProcess = 2 };
static unsigned char locks[LOCKKEEPER_HELD_FILES];

static int is_in_table(int file) { return file >= 0 && file < LOCKKEEPER_HELD_FILES; }

/* A child between vfork and exec has its parent's memory, and not its descriptors. */
static int is_own_process(void) {
    return lockkeeper_kernel(SYS_getpid, 0, 0, 0) == lockkeeper_process();
}

const char* lockkeeper_held_file(int file) {
    return is_in_table(file) && names[file][0] != 0 && is_own_process() ? names[file] : NULL;
}

void lockkeeper_hold_file(int file, const char* name) {
    if (!is_in_table(file)) {
        lockkeeper_refuse("!more than 1024 open files");
        return;
    }
    snprintf(names[file], sizeof(names[file]), "%s", name);
    locks[file] = 0;
}

void lockkeeper_hold_inherited(void) {
    for (int file = 0; file < 256; ++file) {
        char link[64];
        char path[4096];
        char name[LOCKKEEPER_FILE_NAME];
        snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
        const long length =
            lockkeeper_kernel4(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof(path) - 1);
        path[length < 0 ? 0 : length] = 0;
        if (length > 0 && path[0] == '/' && lockkeeper_in_folder(AT_FDCWD, path, name)) {
            lockkeeper_hold_file(file, name);
            locks[file] = kOwnLock | kLockOfProcess;
        }
    }
}

static void written(int file) {
    struct stat real;
    if (lockkeeper_kernel(SYS_fstat, file, (long)&real, 0) == 0) {
        lockkeeper_file_written(real.st_ino);
    }
}

static ssize_t told_size(ssize_t count) {
    char text[24];
    snprintf(text, sizeof(text), "%zd", count);
    return lockkeeper_told(count, text);
}

static uint64_t number_of(int file) {
    struct stat real;
    return lockkeeper_kernel(SYS_fstat, file, (long)&real, 0) == 0 ? real.st_ino : 0;
}

/* The process's locks on a file end with any of its descriptors. */
static int may_end_lock(int file) {
    int may = locks[file] != 0;
    for (int other = 0; !may && other < LOCKKEEPER_HELD_FILES; ++other) {
        may = names[other][0] != 0 && (locks[other] & kLockOfProcess) != 0 &&
              number_of(other) == number_of(file);
    }
    return may;
}

void lockkeeper_close_file(int file) {
    const char* const name = lockkeeper_held_file(file);
    if (name == NULL) {
        return;
    }
    if (may_end_lock(file)) {
        lockkeeper_step("close %s", name);
        lockkeeper_told(0, "ok");
    }
    names[file][0] = 0;
    locks[file] = 0;
}

ssize_t lockkeeper_read_file(int file, void* out, size_t size, const char* name) {
    lockkeeper_step("read %s", name);
    return told_size(lockkeeper_kernel(SYS_read, file, (long)out, (long)size));
}

EXPORTED ssize_t pread(int file, void* out, size_t size, off_t at) {
    const char* const name = lockkeeper_held_file(file);
    if (name == NULL) {
        return lockkeeper_kernel4(SYS_pread64, file, (long)out, (long)size, at);
    }
    lockkeeper_step("read %s", name);
    return told_size(lockkeeper_kernel4(SYS_pread64, file, (long)out, (long)size, at));
}
EXPORTED ssize_t pread64(int file, void* out, size_t size, off64_t at) {
    return pread(file, out, size, at);
}

/* What was written changes what others find. */
static ssize_t write_step(int file, const char* name, long number, long data, long size, long at) {
    lockkeeper_step("write %s", name);
    const long count = lockkeeper_kernel4(number, file, data, size, at);
    if (count > 0) {
        written(file);
    }
    return told_size(count);
}

EXPORTED ssize_t write(int file, const void* data, size_t size) {
    const char* const name = lockkeeper_held_file(file);
    static ssize_t (*next)(int, const void*, size_t);
    next = next != NULL ? next : NEXT(write);
    return name == NULL ? next(file, data, size)
                        : write_step(file, name, SYS_write, (long)data, (long)size, 0);
}
EXPORTED ssize_t writev(int file, const struct iovec* parts, int count) {
    const char* const name = lockkeeper_held_file(file);
    static ssize_t (*next)(int, const struct iovec*, int);
    next = next != NULL ? next : NEXT(writev);
    return name == NULL ? next(file, parts, count)
                        : write_step(file, name, SYS_writev, (long)parts, count, 0);
}
EXPORTED ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
    const char* const name = lockkeeper_held_file(file);
    return name == NULL ? lockkeeper_kernel4(SYS_pwrite64, file, (long)data, (long)size, at)
                        : write_step(file, name, SYS_pwrite64, (long)data, (long)size, at);
}
EXPORTED ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
    return pwrite(file, data, size, at);
}

EXPORTED int ftruncate(int file, off_t size) {
    const char* const name = lockkeeper_held_file(file);
    if (name != NULL) {
        lockkeeper_step("truncate %s", name);
    }
    const int result = (int)lockkeeper_kernel(SYS_ftruncate, file, size, 0);
    if (name != NULL && result == 0) {
        written(file);
    }
    return name == NULL ? result : (int)lockkeeper_told(result, "ok");
}
EXPORTED int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

/* From its end on: what others have written decides. */
EXPORTED off_t lseek(int file, off_t by, int whence) {
    const char* const name = whence == SEEK_END ? lockkeeper_held_file(file) : NULL;
    if (name != NULL) {
        lockkeeper_step("size %s", name);
    }
    const off_t result = lockkeeper_kernel(SYS_lseek, file, by, whence);
    return name == NULL ? result : told_size(result);
}
EXPORTED off64_t lseek64(int file, off64_t by, int whence) { return lseek(file, by, whence); }

EXPORTED int fchmod(int file, mode_t mode) {
    const char* const name = lockkeeper_held_file(file);
    if (name != NULL) {
        lockkeeper_step("chmod %s", name);
    }
    const int result = (int)lockkeeper_kernel(SYS_fchmod, file, mode, 0);
    struct stat real;
    if (name != NULL && lockkeeper_kernel(SYS_fstat, file, (long)&real, 0) == 0) {
        lockkeeper_file_altered(real.st_ino);
    }
    return name == NULL ? result : (int)lockkeeper_told(result, "ok");
}

static int copied(int from, int to) {
    if (to < 0 || !is_in_table(from) || !is_in_table(to) || !is_own_process()) {
        return to;
    }
    if (from != to) {
        memcpy(names[to], names[from], sizeof(names[to]));
        locks[to] = locks[from];
    }
    return to;
}
EXPORTED int dup(int file) { return copied(file, (int)lockkeeper_kernel(SYS_dup, file, 0, 0)); }
EXPORTED int dup3(int from, int to, int flags) {
    if (from != to) {
        lockkeeper_close_file(to);
    }
    return copied(from, (int)lockkeeper_kernel(SYS_dup3, from, to, flags));
}
EXPORTED int dup2(int from, int to) {
    if (from == to) {
        return lockkeeper_kernel(SYS_fcntl, from, F_GETFD, 0) < 0 ? -1 : to;
    }
    return dup3(from, to, 0);
}

EXPORTED int flock(int file, int operation) {
    const char* const name = lockkeeper_held_file(file);
    if (name == NULL) {
        return (int)lockkeeper_kernel(SYS_flock, file, operation, 0);
    }
    const int kind = operation & ~LOCK_NB;
    const char* const word = kind == LOCK_UN ? "un" : kind == LOCK_SH ? "sh" : "ex";
    const int waits = kind != LOCK_UN && (operation & LOCK_NB) == 0;
    lockkeeper_step("flock %s %s%s", name, word, kind == LOCK_UN || waits ? "" : " nb");
    for (;;) {
        const int result = (int)lockkeeper_kernel(SYS_flock, file, operation | LOCK_NB, 0);
        locks[file] |= result == 0 && kind != LOCK_UN ? kOwnLock : 0;
        if (result == 0 || errno != EWOULDBLOCK || !waits) {
            return (int)lockkeeper_told(result, "ok");
        }
        lockkeeper_told(0, "waits");
        if (lockkeeper_await_lock("await %d %d flock %s", lockkeeper_process(), file, word) < 0) {
            return -1;
        }
    }
}

static const char* word_of(const struct flock* lock) {
    return lock->l_type == F_UNLCK ? "un" : lock->l_type == F_RDLCK ? "rd" : "wr";
}

/* The number by which a held process calls itself. */
static int shown_number(int pid) {
    const struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    for (int i = 0; i < LOCKKEEPER_WIRE_PROCESSES; ++i) {
        const struct lockkeeper_wire_process* process = &memory->processes[i];
        if (__atomic_load_n(&process->used, __ATOMIC_ACQUIRE) == 2 && process->pid == pid) {
            return process->shown;
        }
    }
    return pid;
}

static int lock_range(int file, int command, struct flock* lock, const char* name) {
    const int is_own = command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
    const int waits = command == F_SETLKW || command == F_OFD_SETLKW;
    const int asks = command == F_GETLK || command == F_OFD_GETLK;
    const int tries = asks ? command : is_own ? F_OFD_SETLK : F_SETLK;
    lockkeeper_step("%s %s %s%s", asks ? "getlk" : is_own ? "ofd-setlk" : "setlk", name,
                    word_of(lock), waits ? "" : " nb");
    for (;;) {
        const int result = (int)lockkeeper_kernel(SYS_fcntl, file, tries, (long)lock);
        if (result == 0 && !asks) {
            locks[file] |= is_own ? kOwnLock : kLockOfProcess;
        }
        if (result == 0 && asks && lock->l_type != F_UNLCK && lock->l_pid > 0) {
            lock->l_pid = shown_number(lock->l_pid);
        }
        if (result == 0 || (errno != EAGAIN && errno != EACCES) || !waits) {
            return (int)lockkeeper_told(result, "ok");
        }
        lockkeeper_told(0, "waits");
        /* From the beginning of the file, as the descriptor of the harness sees it. */
        const off_t here =
            lock->l_whence == SEEK_CUR ? lockkeeper_kernel(SYS_lseek, file, 0, SEEK_CUR) : 0;
        if (lock->l_whence == SEEK_END) {
            return (int)lockkeeper_not_held("a wait for a lock from the end");
        }
        if (lockkeeper_await_lock("await %d %d range %s %lld %lld", lockkeeper_process(), file,
                                  word_of(lock), (long long)(here + lock->l_start),
                                  (long long)lock->l_len) < 0) {
            return -1;
        }
    }
}

static int control(int file, int command, long argument) {
    const char* name = NULL;
    switch (command) {
        case F_DUPFD:
        case F_DUPFD_CLOEXEC:
            return copied(file, (int)lockkeeper_kernel(SYS_fcntl, file, command, argument));
        case F_GETLK:
        case F_SETLK:
        case F_SETLKW:
        case F_OFD_GETLK:
        case F_OFD_SETLK:
        case F_OFD_SETLKW: name = lockkeeper_held_file(file); break;
        default: break;
    }
    return name == NULL ? (int)lockkeeper_kernel(SYS_fcntl, file, command, argument)
                        : lock_range(file, command, (struct flock*)argument, name);
}

EXPORTED int fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);
    va_end(rest);
    return control(file, command, argument);
}
EXPORTED int fcntl64(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    const long argument = va_arg(rest, long);
    va_end(rest);
    return control(file, command, argument);
}

EXPORTED int lockf(int file, int command, off_t length) {
    struct flock lock = {.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK,
                         .l_whence = SEEK_CUR,
                         .l_len = length};
    switch (command) {
        case F_LOCK: return control(file, F_SETLKW, (long)&lock);
        case F_TLOCK:
        case F_ULOCK: return control(file, F_SETLK, (long)&lock);
        case F_TEST: break;
        default: errno = EINVAL; return -1;
    }
    if (control(file, F_GETLK, (long)&lock) < 0) {
        return -1;
    }
    errno = EACCES;
    return lock.l_type == F_UNLCK ? 0 : -1;
}
EXPORTED int lockf64(int file, int command, off64_t length) { return lockf(file, command, length); }

/* What reads or writes held files in another way is refused. */
#define REFUSED_OF(call, file)                     \
    if (lockkeeper_held_file(file) != NULL) {      \
        return lockkeeper_not_held(call);          \
    }
EXPORTED ssize_t preadv(int file, const struct iovec* parts, int count, off_t at) {
    REFUSED_OF("preadv", file)
    return NEXT(preadv)(file, parts, count, at);
}
EXPORTED ssize_t preadv64(int file, const struct iovec* parts, int count, off64_t at) {
    return preadv(file, parts, count, at);
}
EXPORTED ssize_t pwritev(int file, const struct iovec* parts, int count, off_t at) {
    REFUSED_OF("pwritev", file)
    return NEXT(pwritev)(file, parts, count, at);
}
EXPORTED ssize_t pwritev64(int file, const struct iovec* parts, int count, off64_t at) {
    return pwritev(file, parts, count, at);
}
EXPORTED ssize_t sendfile(int out, int in, off_t* at, size_t size) {
    REFUSED_OF("sendfile", out)
    REFUSED_OF("sendfile", in)
    return NEXT(sendfile)(out, in, at, size);
}
EXPORTED ssize_t sendfile64(int out, int in, off64_t* at, size_t size) {
    return sendfile(out, in, at, size);
}
EXPORTED ssize_t copy_file_range(int in, off64_t* in_at, int out, off64_t* out_at, size_t size,
                                 unsigned flags) {
    REFUSED_OF("copy_file_range", in)
    REFUSED_OF("copy_file_range", out)
    return NEXT(copy_file_range)(in, in_at, out, out_at, size, flags);
}
EXPORTED FILE* fdopen(int file, const char* mode) {
    if (lockkeeper_held_file(file) != NULL) {
        lockkeeper_not_held("fdopen");
        return NULL;
    }
    return NEXT(fdopen)(file, mode);
}
