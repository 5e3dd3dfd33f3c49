// SPDX-License-Identifier: Apache-2.0

/* The times and the numbers of the files in the folder. The kernel's times are of a clock that no
 * program sees here: what stat() shows is kept in the shared memory, by the kernel's number of the
 * file, from the harness's clock. That is the clock of the file system: callers may have others. */
#include "validate/wire/preload/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#define SECOND 1000000000LL

static int64_t file_clock(void) {
    const struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    return __atomic_load_n(&memory->now, __ATOMIC_SEQ_CST) + memory->server_offsets[0];
}

static struct lockkeeper_wire_file* find(uint64_t inode) {
    struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    for (uint32_t i = 0; i < memory->files_count; ++i) {
        if (memory->files[i].inode == inode) {
            return &memory->files[i];
        }
    }
    return NULL;
}

int lockkeeper_named(const char* name, struct stat* out) {
    char path[PATH_MAX];
    const int error = errno;
    snprintf(path, sizeof(path), "%s/%s", lockkeeper_memory()->files_folder, name);
    const long result = lockkeeper_kernel4(SYS_newfstatat, AT_FDCWD, (long)path, (long)out, 0);
    errno = error;
    return result == 0;
}

/* A file system may give a number again: then it is another file, with another number here. */
void lockkeeper_file_made(const char* name) {
    struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    struct stat real;
    if (!lockkeeper_named(name, &real)) {
        return;
    }
    struct lockkeeper_wire_file* file = find(real.st_ino);
    if (file == NULL && memory->files_count == LOCKKEEPER_WIRE_FILES) {
        lockkeeper_refuse("!more files in one run than are held");
        return;
    }
    file = file == NULL ? &memory->files[memory->files_count++] : file;
    file->inode = real.st_ino;
    file->number = ++memory->file_numbers;
    file->accessed = file->written = file->altered = file->made = file_clock();
    lockkeeper_parent_written(name);
}

void lockkeeper_file_written(uint64_t inode) {
    struct lockkeeper_wire_file* file = find(inode);
    if (file != NULL) {
        file->written = file->altered = file_clock();
    }
}

void lockkeeper_file_altered(uint64_t inode) {
    struct lockkeeper_wire_file* file = find(inode);
    if (file != NULL) {
        file->altered = file_clock();
    }
}

void lockkeeper_parent_written(const char* name) {
    char parent[LOCKKEEPER_FILE_NAME];
    struct stat real;
    snprintf(parent, sizeof(parent), "%s", name);
    char* const slash = strrchr(parent, '/');
    strcpy(slash == NULL ? parent : slash, slash == NULL ? "." : "");
    if (lockkeeper_named(parent, &real)) {
        lockkeeper_file_written(real.st_ino);
    }
}

static struct timespec time_of(int64_t moment) {
    const struct timespec out = {.tv_sec = moment / SECOND, .tv_nsec = moment % SECOND};
    return out;
}

static void show(struct stat* out) {
    const struct lockkeeper_wire_file* file = find(out->st_ino);
    if (file == NULL) {
        lockkeeper_refuse("!a file that nobody was seen to make");
        return;
    }
    out->st_ino = file->number;
    out->st_atim = time_of(file->accessed);
    out->st_mtim = time_of(file->written);
    out->st_ctim = time_of(file->altered);
}

static int stat_at(int directory, const char* path, struct stat* out, int flags) {
    char name[LOCKKEEPER_FILE_NAME];
    const char* held = NULL;
    if (path != NULL && path[0] == 0 && (flags & AT_EMPTY_PATH) != 0) {
        held = lockkeeper_held_file(directory);
        if (held != NULL) {
            lockkeeper_step("fstat %s", held);
        }
    } else if (lockkeeper_in_folder(directory, path, name)) {
        held = name;
        lockkeeper_step("stat %s", name);
    }
    const int result =
        (int)lockkeeper_kernel4(SYS_newfstatat, directory, (long)path, (long)out, flags);
    if (held == NULL) {
        return result;
    }
    if (result == 0) {
        show(out);
    }
    return (int)lockkeeper_told(result, "ok");
}

static int stat_of_file(int file, struct stat* out) { return stat_at(file, "", out, AT_EMPTY_PATH); }

EXPORTED int stat(const char* restrict path, struct stat* restrict out) {
    return stat_at(AT_FDCWD, path, out, 0);
}
EXPORTED int lstat(const char* restrict path, struct stat* restrict out) {
    return stat_at(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
EXPORTED int fstat(int file, struct stat* out) { return stat_of_file(file, out); }
EXPORTED int fstatat(int directory, const char* restrict path, struct stat* restrict out, int flags) {
    return stat_at(directory, path, out, flags);
}

/* The same structure, where numbers of files have 64 bits anyway. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "another structure");
EXPORTED int stat64(const char* restrict path, struct stat64* restrict out) {
    return stat_at(AT_FDCWD, path, (struct stat*)(void*)out, 0);
}
EXPORTED int lstat64(const char* restrict path, struct stat64* restrict out) {
    return stat_at(AT_FDCWD, path, (struct stat*)(void*)out, AT_SYMLINK_NOFOLLOW);
}
EXPORTED int fstat64(int file, struct stat64* out) {
    return stat_of_file(file, (struct stat*)(void*)out);
}
EXPORTED int fstatat64(int directory, const char* restrict path, struct stat64* restrict out,
                       int flags) {
    return stat_at(directory, path, (struct stat*)(void*)out, flags);
}
/* As programs call them that were built for an older C library. */
EXPORTED int __xstat(int version, const char* path, struct stat* out) {
    (void)version;
    return stat_at(AT_FDCWD, path, out, 0);
}
EXPORTED int __lxstat(int version, const char* path, struct stat* out) {
    (void)version;
    return stat_at(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}
EXPORTED int __fxstat(int version, int file, struct stat* out) {
    (void)version;
    return stat_of_file(file, out);
}
EXPORTED int __xstat64(int version, const char* path, struct stat64* out) {
    return __xstat(version, path, (struct stat*)(void*)out);
}
EXPORTED int __lxstat64(int version, const char* path, struct stat64* out) {
    return __lxstat(version, path, (struct stat*)(void*)out);
}
EXPORTED int __fxstat64(int version, int file, struct stat64* out) {
    return __fxstat(version, file, (struct stat*)(void*)out);
}

static struct statx_timestamp stamp_of(int64_t moment) {
    const struct statx_timestamp out = {.tv_sec = moment / SECOND,
                                        .tv_nsec = (uint32_t)(moment % SECOND)};
    return out;
}

EXPORTED int statx(int directory, const char* restrict path, int flags, unsigned mask,
                   struct statx* restrict out) {
    char name[LOCKKEEPER_FILE_NAME];
    const char* held = NULL;
    if (path[0] == 0 && (flags & AT_EMPTY_PATH) != 0) {
        held = lockkeeper_held_file(directory);
    } else if (lockkeeper_in_folder(directory, path, name)) {
        held = name;
    }
    if (held != NULL) {
        lockkeeper_step("%s %s", held == name ? "stat" : "fstat", held);
    }
    const int result = (int)lockkeeper_kernel5(SYS_statx, directory, (long)path, flags,
                                               (long)(mask | STATX_INO), (long)out);
    if (held == NULL) {
        return result;
    }
    const struct lockkeeper_wire_file* file = result == 0 ? find(out->stx_ino) : NULL;
    if (file != NULL) {
        out->stx_ino = file->number;
        out->stx_atime = stamp_of(file->accessed);
        out->stx_mtime = stamp_of(file->written);
        out->stx_ctime = stamp_of(file->altered);
        out->stx_btime = stamp_of(file->made);
    } else if (result == 0) {
        lockkeeper_refuse("!a file that nobody was seen to make");
    }
    return (int)lockkeeper_told(result, "ok");
}

static int64_t given(const struct timespec* time, int64_t before) {
    return time == NULL || time->tv_nsec == UTIME_NOW ? file_clock()
           : time->tv_nsec == UTIME_OMIT              ? before
                                                      : lockkeeper_from_timespec(time);
}

/* The kernel is asked too: it knows whether there is such a file, and whose it is. */
static int set_times(int directory, const char* path, const struct timespec* times, int flags) {
    char name[LOCKKEEPER_FILE_NAME];
    const char* held = NULL;
    if (path == NULL) {
        held = lockkeeper_held_file(directory);
    } else if (lockkeeper_in_folder(directory, path, name)) {
        held = name;
    }
    if (held != NULL) {
        lockkeeper_step("utimes %s", held);
    }
    const int result =
        (int)lockkeeper_kernel4(SYS_utimensat, directory, (long)path, (long)times, flags);
    if (held == NULL) {
        return result;
    }
    struct stat real;
    const int is_found = result == 0 && (path == NULL ? lockkeeper_kernel(SYS_fstat, directory,
                                                                          (long)&real, 0) == 0
                                                      : lockkeeper_named(name, &real));
    struct lockkeeper_wire_file* file = is_found ? find(real.st_ino) : NULL;
    if (file != NULL) {
        file->accessed = given(times == NULL ? NULL : &times[0], file->accessed);
        file->written = given(times == NULL ? NULL : &times[1], file->written);
        file->altered = file_clock();
    }
    return (int)lockkeeper_told(result, "ok");
}

EXPORTED int utimensat(int directory, const char* path, const struct timespec times[2], int flags) {
    return set_times(directory, path, times, flags);
}
EXPORTED int futimens(int file, const struct timespec times[2]) {
    return set_times(file, NULL, times, 0);
}

static const struct timespec* exact(const struct timeval* times, struct timespec out[2]) {
    for (int i = 0; times != NULL && i < 2; ++i) {
        out[i].tv_sec = times[i].tv_sec;
        out[i].tv_nsec = times[i].tv_usec * 1000;
    }
    return times == NULL ? NULL : out;
}

EXPORTED int utimes(const char* path, const struct timeval times[2]) {
    struct timespec out[2];
    return set_times(AT_FDCWD, path, exact(times, out), 0);
}
EXPORTED int lutimes(const char* path, const struct timeval times[2]) {
    struct timespec out[2];
    return set_times(AT_FDCWD, path, exact(times, out), AT_SYMLINK_NOFOLLOW);
}
EXPORTED int futimes(int file, const struct timeval times[2]) {
    struct timespec out[2];
    return set_times(file, NULL, exact(times, out), 0);
}
EXPORTED int futimesat(int directory, const char* path, const struct timeval times[2]) {
    struct timespec out[2];
    return set_times(directory, path, exact(times, out), 0);
}
EXPORTED int utime(const char* path, const struct utimbuf* times) {
    const struct timespec out[2] = {{times == NULL ? 0 : times->actime, 0},
                                    {times == NULL ? 0 : times->modtime, 0}};
    return set_times(AT_FDCWD, path, times == NULL ? NULL : out, 0);
}
