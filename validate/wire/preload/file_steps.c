// SPDX-License-Identifier: Apache-2.0

/* How a call on the folder asks the harness: one line on a connection, which is answered when the
 * search chooses it. Then the call happens, and its result stands in the shared memory. */
#include "validate/wire/preload/files.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { kConnections = 16, kLine = 1024, kFirstDescriptor = 600 };

/* The first that nobody uses is taken, so that calls one after the other go by the same one. */
static struct {
    int file; /* 0: none */
    int busy;
} connections[kConnections];

void lockkeeper_forget_connections(void) {
    for (int i = 0; i < kConnections; ++i) {
        if (connections[i].file > 0) {
            lockkeeper_kernel(SYS_close, connections[i].file, 0, 0);
        }
        connections[i].file = connections[i].busy = 0;
    }
}

/* Without "//", "." and "..": no name in the folder is a symbolic link. */
static int normalise(const char* path, char* out, size_t room) {
    size_t length = 0;
    while (*path != 0) {
        while (*path == '/') {
            ++path;
        }
        const size_t part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            while (length > 0 && out[--length] != '/') {
            }
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            if (length + part + 2 > room) {
                return 0;
            }
            out[length++] = '/';
            memcpy(out + length, path, part);
            length += part;
        }
        path += part;
    }
    out[length] = 0;
    return 1;
}

/* The path of an open directory, as the kernel has it. */
static int path_of(int directory, char* out, size_t room) {
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
    const char* const name = directory == AT_FDCWD ? "/proc/self/cwd" : link;
    long length = lockkeeper_kernel4(SYS_readlinkat, AT_FDCWD, (long)name, (long)out, (long)room - 1);
    out[length < 0 ? 0 : length] = 0;
    return length > 0;
}

int lockkeeper_in_folder(int directory, const char* path, char name[LOCKKEEPER_FILE_NAME]) {
    const struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    if (memory == NULL || memory->files_folder[0] == 0 || path == NULL || lockkeeper_own() == NULL) {
        return 0;
    }
    const int error = errno;
    const char* const folder = memory->files_folder;
    const size_t length = strlen(folder);
    char whole[2 * PATH_MAX];
    char plain[2 * PATH_MAX];
    size_t begin = 0;
    if (path[0] != '/') {
        if (!path_of(directory, whole, PATH_MAX)) {
            errno = error;
            return 0;
        }
        begin = strlen(whole);
        whole[begin++] = '/';
    }
    errno = error;
    if (strlen(path) >= PATH_MAX) {
        return 0;
    }
    strcpy(whole + begin, path);
    if (!normalise(whole, plain, sizeof(plain)) || strncmp(plain, folder, length) != 0 ||
        (plain[length] != 0 && plain[length] != '/')) {
        return 0;
    }
    const char* const inside = plain[length] == 0 ? "." : plain + length + 1;
    if (strlen(inside) >= LOCKKEEPER_FILE_NAME || inside[strcspn(inside, " \t\n\v\f\r")] != 0) {
        lockkeeper_refuse("!a long name, or one with a space");
        strcpy(name, "?");
        return 1;
    }
    strcpy(name, inside);
    return 1;
}

static int connect_for_files(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/c%d.0", lockkeeper_memory()->directory,
             lockkeeper_caller());
    const int low = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (low < 0 ||
        NEXT(connect)(low, (const struct sockaddr*)(const void*)&address, sizeof(address)) != 0) {
        _exit(121); /* the harness is gone */
    }
    /* Away from the numbers that the program expects for its own. */
    const long file = lockkeeper_kernel(SYS_fcntl, low, F_DUPFD_CLOEXEC, kFirstDescriptor);
    if (file < 0) {
        return low;
    }
    lockkeeper_kernel(SYS_close, low, 0, 0);
    return (int)file;
}

/* The harness has closed it behind an earlier run. */
static int is_closed(int file) {
    char byte;
    return NEXT(recv)(file, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int take_connection(void) {
    for (int i = 0; i < kConnections; ++i) {
        int free = 0;
        if (!__atomic_compare_exchange_n(&connections[i].busy, &free, 1, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            continue;
        }
        if (connections[i].file > 0 && is_closed(connections[i].file)) {
            lockkeeper_kernel(SYS_close, connections[i].file, 0, 0);
            connections[i].file = 0;
        }
        if (connections[i].file == 0) {
            connections[i].file = connect_for_files();
        }
        return i;
    }
    _exit(122); /* more calls at once than the harness bears */
}

/* `may_stop`: a signal ends the wait. */
static int ask(const char* format, va_list rest, int may_stop) {
    char line[kLine];
    int length = vsnprintf(line, sizeof(line) - 1, format, rest);
    length = length < (int)sizeof(line) - 2 ? length : (int)sizeof(line) - 2;
    for (int i = 0; i < length; ++i) { /* a name may be anything, and this is one line */
        line[i] = line[i] == '\n' ? '?' : line[i];
    }
    line[length++] = '\n';
    const int error = errno;
    const int taken = take_connection();
    const int file = connections[taken].file;
    for (int at = 0; at < length;) {
        const ssize_t count = send(file, line + at, (size_t)(length - at), MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) {
            _exit(121);
        }
        at += count > 0 ? (int)count : 0;
    }
    static ssize_t (*next)(int, void*, size_t, int);
    next = next != NULL ? next : NEXT(recv);
    int result = 0;
    for (char byte = 0; byte != '\n';) {
        lockkeeper_ring();
        const ssize_t count = next(file, &byte, 1, 0);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            _exit(121);
        }
        if (count < 0 && may_stop) { /* the question is taken back */
            lockkeeper_kernel(SYS_close, file, 0, 0);
            connections[taken].file = 0;
            result = -1;
            break;
        }
    }
    __atomic_store_n(&connections[taken].busy, 0, __ATOMIC_RELEASE);
    errno = result < 0 ? EINTR : error;
    return result;
}

void lockkeeper_step(const char* format, ...) {
    va_list rest;
    va_start(rest, format);
    ask(format, rest, 0);
    va_end(rest);
}

int lockkeeper_await_lock(const char* format, ...) {
    va_list rest;
    va_start(rest, format);
    const int result = ask(format, rest, 1);
    va_end(rest);
    return result;
}

long lockkeeper_told(long result, const char* good) {
    const char* const text = result < 0 ? strerrorname_np(errno) : good;
    char* const out = lockkeeper_own()->file_result;
    snprintf(out, LOCKKEEPER_WIRE_RESULT_MAX, "%s", text == NULL ? "an error" : text);
    return result;
}

long lockkeeper_not_held(const char* call) {
    char text[LOCKKEEPER_WIRE_REFUSED_MAX];
    snprintf(text, sizeof(text), "!%s", call);
    lockkeeper_refuse(text);
    errno = ENOTSUP;
    return -1;
}
