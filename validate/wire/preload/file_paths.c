// SPDX-License-Identifier: Apache-2.0

/* Calls on names in the folder: each is one step. What changes more than one name, or gives a file a
 * name in another way, is held only as far as it is here; the rest is refused. */
#include "validate/wire/preload/files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int lockkeeper_open_in_folder(int directory, const char* path, int flags, mode_t mode,
                              const char* name) {
    struct stat before;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        return (int)lockkeeper_not_held("O_TMPFILE");
    }
    const int access = flags & O_ACCMODE;
    lockkeeper_step("open %s %s%s%s%s%s", name,
                    access == O_RDONLY   ? "r"
                    : access == O_WRONLY ? "w"
                                         : "rw",
                    (flags & O_CREAT) != 0 ? " creat" : "", (flags & O_EXCL) != 0 ? " excl" : "",
                    (flags & O_TRUNC) != 0 ? " trunc" : "", (flags & O_APPEND) != 0 ? " append" : "");
    const int existed = lockkeeper_named(name, &before);
    const int file = (int)lockkeeper_kernel4(SYS_openat, directory, (long)path, flags, mode);
    if (file >= 0 && !existed) {
        lockkeeper_file_made(name);
    } else if (file >= 0 && (flags & O_TRUNC) != 0) {
        lockkeeper_file_written(before.st_ino);
    }
    if (file >= 0) {
        lockkeeper_hold_file(file, name);
    }
    return (int)lockkeeper_told(file, "ok");
}

EXPORTED int mkdirat(int directory, const char* path, mode_t mode) {
    char name[LOCKKEEPER_FILE_NAME];
    if (!lockkeeper_in_folder(directory, path, name)) {
        return (int)lockkeeper_kernel(SYS_mkdirat, directory, (long)path, mode);
    }
    lockkeeper_step("mkdir %s", name);
    const long result = lockkeeper_kernel(SYS_mkdirat, directory, (long)path, mode);
    if (result == 0) {
        lockkeeper_file_made(name);
    }
    return (int)lockkeeper_told(result, "ok");
}
EXPORTED int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

EXPORTED int unlinkat(int directory, const char* path, int flags) {
    char name[LOCKKEEPER_FILE_NAME];
    struct stat before;
    if (!lockkeeper_in_folder(directory, path, name)) {
        return (int)lockkeeper_kernel(SYS_unlinkat, directory, (long)path, flags);
    }
    lockkeeper_step("%s %s", (flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", name);
    const int existed = lockkeeper_named(name, &before);
    const long result = lockkeeper_kernel(SYS_unlinkat, directory, (long)path, flags);
    if (result == 0) {
        lockkeeper_parent_written(name);
        if (existed) {
            lockkeeper_file_altered(before.st_ino);
        }
    }
    return (int)lockkeeper_told(result, "ok");
}
EXPORTED int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
EXPORTED int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
EXPORTED int remove(const char* path) {
    const int result = unlinkat(AT_FDCWD, path, 0);
    return result < 0 && errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

/* Both names have to be in the folder: what comes from elsewhere has times that nobody knows. */
static int two_names(const char* call, int from_at, const char* from, int to_at, const char* to,
                     char first[LOCKKEEPER_FILE_NAME], char second[LOCKKEEPER_FILE_NAME]) {
    const int is_first = lockkeeper_in_folder(from_at, from, first);
    const int is_second = lockkeeper_in_folder(to_at, to, second);
    if (is_first != is_second) {
        lockkeeper_not_held(call);
        return -1;
    }
    return is_first;
}

EXPORTED int linkat(int from_at, const char* from, int to_at, const char* to, int flags) {
    char first[LOCKKEEPER_FILE_NAME];
    char second[LOCKKEEPER_FILE_NAME];
    struct stat file;
    const int held = two_names("link into or out of it", from_at, from, to_at, to, first, second);
    if (held < 0) {
        return -1;
    }
    if (held) {
        lockkeeper_step("link %s %s", first, second);
    }
    const long result =
        lockkeeper_kernel5(SYS_linkat, from_at, (long)from, to_at, (long)to, flags);
    if (!held) {
        return (int)result;
    }
    if (result == 0 && lockkeeper_named(second, &file)) {
        lockkeeper_file_altered(file.st_ino);
        lockkeeper_parent_written(second);
    }
    return (int)lockkeeper_told(result, "ok");
}
EXPORTED int link(const char* from, const char* to) {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORTED int renameat2(int from_at, const char* from, int to_at, const char* to, unsigned flags) {
    char first[LOCKKEEPER_FILE_NAME];
    char second[LOCKKEEPER_FILE_NAME];
    struct stat file;
    struct stat replaced;
    const int held = two_names("rename into or out of it", from_at, from, to_at, to, first, second);
    if (held < 0) {
        return -1;
    }
    int existed = 0;
    if (held) {
        lockkeeper_step("rename %s %s%s", first, second, flags != 0 ? " with flags" : "");
        existed = lockkeeper_named(second, &replaced);
    }
    const long result =
        lockkeeper_kernel5(SYS_renameat2, from_at, (long)from, to_at, (long)to, flags);
    if (!held) {
        return (int)result;
    }
    if (result == 0 && lockkeeper_named(second, &file)) {
        if (existed) {
            lockkeeper_file_altered(replaced.st_ino);
        }
        lockkeeper_file_altered(file.st_ino);
        lockkeeper_parent_written(first);
        lockkeeper_parent_written(second);
    }
    return (int)lockkeeper_told(result, "ok");
}
EXPORTED int renameat(int from_at, const char* from, int to_at, const char* to) {
    return renameat2(from_at, from, to_at, to, 0);
}
EXPORTED int rename(const char* from, const char* to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORTED int fchmodat(int directory, const char* path, mode_t mode, int flags) {
    char name[LOCKKEEPER_FILE_NAME];
    struct stat file;
    if (!lockkeeper_in_folder(directory, path, name)) {
        return NEXT(fchmodat)(directory, path, mode, flags);
    }
    lockkeeper_step("chmod %s", name);
    const int result = NEXT(fchmodat)(directory, path, mode, flags);
    if (result == 0 && lockkeeper_named(name, &file)) {
        lockkeeper_file_altered(file.st_ino);
    }
    return (int)lockkeeper_told(result, "ok");
}
EXPORTED int chmod(const char* path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }

EXPORTED int faccessat(int directory, const char* path, int mode, int flags) {
    char name[LOCKKEEPER_FILE_NAME];
    const int held = lockkeeper_in_folder(directory, path, name);
    if (held) {
        lockkeeper_step("access %s", name);
    }
    const int result = NEXT(faccessat)(directory, path, mode, flags);
    return held ? (int)lockkeeper_told(result, "ok") : result;
}
EXPORTED int access(const char* path, int mode) { return faccessat(AT_FDCWD, path, mode, 0); }
EXPORTED int euidaccess(const char* path, int mode) {
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}
EXPORTED int eaccess(const char* path, int mode) { return euidaccess(path, mode); }

/* No name in the folder is a symbolic link; that there is such a name is what it tells. */
EXPORTED ssize_t readlinkat(int directory, const char* restrict path, char* restrict out,
                            size_t room) {
    char name[LOCKKEEPER_FILE_NAME];
    const int held = lockkeeper_in_folder(directory, path, name);
    if (held) {
        lockkeeper_step("readlink %s", name);
    }
    const long result =
        lockkeeper_kernel4(SYS_readlinkat, directory, (long)path, (long)out, (long)room);
    return held ? lockkeeper_told(result, "ok") : result;
}
EXPORTED ssize_t readlink(const char* restrict path, char* restrict out, size_t room) {
    return readlinkat(AT_FDCWD, path, out, room);
}
EXPORTED char* realpath(const char* restrict path, char* restrict out) {
    char name[LOCKKEEPER_FILE_NAME];
    static char* (*next)(const char* restrict, char* restrict);
    if (next == NULL) { /* the newest of its versions */
        next = (__typeof__(next))dlvsym(RTLD_NEXT, "realpath", "GLIBC_2.3");
        next = next != NULL ? next : (__typeof__(next))lockkeeper_next("realpath");
    }
    const int held = lockkeeper_in_folder(AT_FDCWD, path, name);
    if (held) {
        lockkeeper_step("realpath %s", name);
    }
    char* const result = next(path, out);
    if (held) {
        lockkeeper_told(result == NULL ? -1 : 0, "ok");
    }
    return result;
}

/* A folder with few names: the kernel hands out all of them at the first question, and nobody else
 * takes a step between the step and that. */
EXPORTED DIR* opendir(const char* path) {
    char name[LOCKKEEPER_FILE_NAME];
    const int held = lockkeeper_in_folder(AT_FDCWD, path, name);
    if (held) {
        lockkeeper_step("list %s", name);
    }
    DIR* const result = NEXT(opendir)(path);
    if (held) {
        lockkeeper_told(result == NULL ? -1 : 0, "ok");
    }
    return result;
}

typedef int (*chooses)(const struct dirent*);
typedef int (*compares)(const struct dirent**, const struct dirent**);
EXPORTED int scandir(const char* restrict path, struct dirent*** restrict out, chooses chosen,
                     compares order) {
    char name[LOCKKEEPER_FILE_NAME];
    const int held = lockkeeper_in_folder(AT_FDCWD, path, name);
    if (held) {
        lockkeeper_step("list %s", name);
    }
    const int result = NEXT(scandir)(path, out, chosen, order);
    return held ? (int)lockkeeper_told(result, "ok") : result;
}
typedef int (*chooses64)(const struct dirent64*);
typedef int (*compares64)(const struct dirent64**, const struct dirent64**);
EXPORTED int scandir64(const char* restrict path, struct dirent64*** restrict out, chooses64 chosen,
                       compares64 order) {
    char name[LOCKKEEPER_FILE_NAME];
    const int held = lockkeeper_in_folder(AT_FDCWD, path, name);
    if (held) {
        lockkeeper_step("list %s", name);
    }
    const int result = NEXT(scandir64)(path, out, chosen, order);
    return held ? (int)lockkeeper_told(result, "ok") : result;
}

/* Refused in the folder. */
#define REFUSED(call, directory, path)                     \
    {                                                      \
        char name[LOCKKEEPER_FILE_NAME];                   \
        if (lockkeeper_in_folder(directory, path, name)) { \
            return (int)lockkeeper_not_held(call);         \
        }                                                  \
    }
EXPORTED int symlinkat(const char* target, int directory, const char* path) {
    REFUSED("symlink", directory, path)
    return NEXT(symlinkat)(target, directory, path);
}
EXPORTED int symlink(const char* target, const char* path) {
    return symlinkat(target, AT_FDCWD, path);
}
EXPORTED int mknod(const char* path, mode_t mode, dev_t device) {
    REFUSED("mknod", AT_FDCWD, path)
    return NEXT(mknod)(path, mode, device);
}
EXPORTED int mkfifo(const char* path, mode_t mode) {
    REFUSED("mkfifo", AT_FDCWD, path)
    return NEXT(mkfifo)(path, mode);
}
EXPORTED int truncate(const char* path, off_t size) {
    REFUSED("truncate", AT_FDCWD, path)
    return NEXT(truncate)(path, size);
}
EXPORTED int truncate64(const char* path, off64_t size) { return truncate(path, size); }
EXPORTED int mkstemp(char* path) {
    REFUSED("mkstemp", AT_FDCWD, path)
    return NEXT(mkstemp)(path);
}
EXPORTED int mkstemp64(char* path) { return mkstemp(path); }
EXPORTED int mkostemp(char* path, int flags) {
    REFUSED("mkostemp", AT_FDCWD, path)
    return NEXT(mkostemp)(path, flags);
}
EXPORTED int mkostemp64(char* path, int flags) { return mkostemp(path, flags); }
EXPORTED char* mkdtemp(char* path) {
    char name[LOCKKEEPER_FILE_NAME];
    if (lockkeeper_in_folder(AT_FDCWD, path, name)) {
        lockkeeper_not_held("mkdtemp");
        return NULL;
    }
    return NEXT(mkdtemp)(path);
}
