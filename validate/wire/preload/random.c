// SPDX-License-Identifier: Apache-2.0

/* Random numbers that a run gets again: a stream for each caller, which begins anew when the harness
 * says so. */
#include "validate/wire/preload/files.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static uint64_t epoch;
static uint64_t state;
static int has_begun;

/* SplitMix64. */
static uint64_t next_number(void) {
    state += 0x9E3779B97F4A7C15ULL;
    uint64_t out = state;
    out = (out ^ (out >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    out = (out ^ (out >> 27U)) * 0x94D049BB133111EBULL;
    return out ^ (out >> 31U);
}

void lockkeeper_random(void* out, size_t size) {
    const struct lockkeeper_wire_caller* own = lockkeeper_own();
    pthread_mutex_lock(&guard);
    if (!has_begun || (own != NULL && epoch != own->random_epoch)) {
        has_begun = 1;
        epoch = own == NULL ? 0 : own->random_epoch;
        state = own == NULL ? 1 : own->random_seed;
    }
    unsigned char* at = out;
    while (size > 0) {
        const uint64_t number = next_number();
        const size_t count = size < sizeof(number) ? size : sizeof(number);
        memcpy(at, &number, count);
        at += count;
        size -= count;
    }
    pthread_mutex_unlock(&guard);
}

static int is_held(void) { return lockkeeper_memory() != NULL; }

EXPORTED ssize_t getrandom(void* out, size_t size, unsigned flags) {
    if (!is_held()) {
        return syscall(SYS_getrandom, out, size, flags);
    }
    lockkeeper_random(out, size);
    return (ssize_t)size;
}

EXPORTED int getentropy(void* out, size_t size) {
    return getrandom(out, size, 0) == (ssize_t)size ? 0 : -1;
}

EXPORTED void arc4random_buf(void* out, size_t size) { (void)!getentropy(out, size); }

EXPORTED uint32_t arc4random(void) {
    uint32_t out = 0;
    arc4random_buf(&out, sizeof(out));
    return out;
}

EXPORTED uint32_t arc4random_uniform(uint32_t below) {
    return below == 0 ? 0 : (uint32_t)(((uint64_t)arc4random() * below) >> 32U);
}

/* libuuid's, which know the time and the network card: version 4 with the stream's bits. */
EXPORTED void uuid_generate(unsigned char* out) {
    (void)!getentropy(out, 16);
    out[6] = (unsigned char)((out[6] & 0x0FU) | 0x40U);
    out[8] = (unsigned char)((out[8] & 0x3FU) | 0x80U);
}
EXPORTED void uuid_generate_random(unsigned char* out) { uuid_generate(out); }
EXPORTED void uuid_generate_time(unsigned char* out) { uuid_generate(out); }
EXPORTED int uuid_generate_time_safe(unsigned char* out) {
    uuid_generate(out);
    return 0;
}

static int is_random_device(const char* path) {
    return is_held() && path != NULL &&
           (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

/* A file with what the stream gives: more than anybody reads who wants a seed. */
static int random_file(void) {
    unsigned char bytes[4096];
    const int file = memfd_create("random", MFD_CLOEXEC);
    for (int i = 0; file >= 0 && i < 16; ++i) {
        lockkeeper_random(bytes, sizeof(bytes));
        (void)!write(file, bytes, sizeof(bytes));
    }
    lseek(file, 0, SEEK_SET);
    return file;
}

static int open_plainly(int directory, const char* path, int flags, mode_t mode) {
    char name[LOCKKEEPER_FILE_NAME];
    if (lockkeeper_in_folder(directory, path, name)) {
        return lockkeeper_open_in_folder(directory, path, flags, mode, name);
    }
    return is_random_device(path) ? random_file()
                                  : (int)syscall(SYS_openat, directory, path, flags, mode);
}

EXPORTED int creat(const char* path, mode_t mode) {
    return open_plainly(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}
EXPORTED int creat64(const char* path, mode_t mode) { return creat(path, mode); }
/* As compilers call them that check flags. */
EXPORTED int __open_2(const char* path, int flags) { return open_plainly(AT_FDCWD, path, flags, 0); }
EXPORTED int __open64_2(const char* path, int flags) { return __open_2(path, flags); }
EXPORTED int __openat_2(int directory, const char* path, int flags) {
    return open_plainly(directory, path, flags, 0);
}
EXPORTED int __openat64_2(int directory, const char* path, int flags) {
    return __openat_2(directory, path, flags);
}

#define MODE_OF(flags, mode)                                  \
    mode_t mode = 0;                                          \
    if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list rest;                                         \
        va_start(rest, flags);                                \
        mode = va_arg(rest, mode_t);                          \
        va_end(rest);                                         \
    }

EXPORTED int open(const char* path, int flags, ...) {
    MODE_OF(flags, mode)
    return open_plainly(AT_FDCWD, path, flags, mode);
}
EXPORTED int open64(const char* path, int flags, ...) {
    MODE_OF(flags, mode)
    return open_plainly(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
EXPORTED int openat(int directory, const char* path, int flags, ...) {
    MODE_OF(flags, mode)
    return open_plainly(directory, path, flags, mode);
}
EXPORTED int openat64(int directory, const char* path, int flags, ...) {
    MODE_OF(flags, mode)
    return open_plainly(directory, path, flags | O_LARGEFILE, mode);
}
/* Inside of the C library its reads and writes are seen by nobody. */
static int is_refused(const char* path) {
    char name[LOCKKEEPER_FILE_NAME];
    const int is_inside = lockkeeper_in_folder(AT_FDCWD, path, name);
    if (is_inside) {
        lockkeeper_not_held("fopen");
    }
    return is_inside;
}

EXPORTED FILE* fopen(const char* restrict path, const char* restrict mode) {
    if (is_refused(path)) {
        return NULL;
    }
    return is_random_device(path) ? fdopen(random_file(), "r") : NEXT(fopen)(path, mode);
}
EXPORTED FILE* fopen64(const char* restrict path, const char* restrict mode) {
    if (is_refused(path)) {
        return NULL;
    }
    return is_random_device(path) ? fdopen(random_file(), "r") : NEXT(fopen64)(path, mode);
}
