// SPDX-License-Identifier: Apache-2.0

/* Connections: whoever connects to a server's address gets a local stream socket of the harness's,
 * which knows by it who has connected. Nobody connects to anybody else by TCP. */
#include "validate/wire/preload/files.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int port_of(const struct sockaddr* address, socklen_t size) {
    if (address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        return ntohs(((const struct sockaddr_in*)(const void*)address)->sin_port);
    }
    if (address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
        return ntohs(((const struct sockaddr_in6*)(const void*)address)->sin6_port);
    }
    return -1;
}

static int is_stream(int file) {
    int type = 0;
    socklen_t size = sizeof(type);
    return getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/* `file` becomes a connection to the harness. */
static int connect_to_harness(int file, int server) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int status = fcntl(file, F_GETFL);
    const int flags = fcntl(file, F_GETFD);
    const int local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/c%d.%d",
             lockkeeper_memory()->directory, lockkeeper_caller(), server);
    if (local < 0 ||
        NEXT(connect)(local, (const struct sockaddr*)(const void*)&address, sizeof(address)) != 0 ||
        dup3(local, file, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0) < 0) {
        if (local >= 0) {
            close(local);
        }
        errno = ECONNREFUSED;
        return -1;
    }
    close(local);
    if ((status & O_NONBLOCK) != 0) {
        fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
    }
    return 0;
}

EXPORTED int connect(int file, const struct sockaddr* address, socklen_t size) {
    const struct lockkeeper_wire_memory* memory = lockkeeper_memory();
    const int port = memory == NULL || address == NULL ? -1 : port_of(address, size);
    if (port < 0 || lockkeeper_caller() >= LOCKKEEPER_WIRE_SERVER || !is_stream(file)) {
        return NEXT(connect)(file, address, size);
    }
    struct lockkeeper_wire_caller* own = lockkeeper_own();
    for (uint32_t server = 0; server < memory->servers_count; ++server) {
        const int is_cut = own != NULL && (own->cut_off >> server & 1U) != 0;
        if (memory->ports[server] != port) {
            continue;
        }
        if (!memory->is_down[server] && !is_cut) {
            return connect_to_harness(file, (int)server);
        }
        if (own != NULL) {
            __atomic_fetch_or(&own->refused_at, 1U << server, __ATOMIC_SEQ_CST);
        }
    }
    if (own != NULL && own->tcp_port != 0 && own->tcp_port == (uint32_t)port) {
        return connect_to_harness(file, 0);
    }
    errno = ECONNREFUSED;
    return -1;
}

/* SO_RCVTIMEO and SO_SNDTIMEO, by descriptor: nanoseconds; 0: none. Nothing waits to send: the harness
 * takes whatever is sent. */
#define FILES 4096
static int64_t limits[2][FILES];

static int64_t* limit_of(int file, int level, int name) {
    const int is_time = level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO);
    return is_time && file >= 0 && file < FILES ? &limits[name == SO_SNDTIMEO][file] : NULL;
}

void lockkeeper_forget_limits(int file) {
    if (file >= 0 && file < FILES) {
        limits[0][file] = limits[1][file] = 0;
    }
}

static int holds_limits(void) {
    return lockkeeper_memory() != NULL && !lockkeeper_is_known_server();
}

/* What is said of TCP to a local socket is no error, and its waits have no real time. */
EXPORTED int setsockopt(int file, int level, int name, const void* value, socklen_t size) {
    int64_t* limit = limit_of(file, level, name);
    if (limit != NULL && holds_limits() && size >= sizeof(struct timeval)) {
        const struct timeval* time = value;
        if (time->tv_usec < 0 || time->tv_usec >= 1000000) {
            errno = EDOM;
            return -1;
        }
        *limit = time->tv_sec < 0 ? 0 : (int64_t)time->tv_sec * 1000000000 + time->tv_usec * 1000;
        return 0;
    }
    if (limit == NULL && level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) {
        lockkeeper_refuse("a time limit of a socket with a high number");
    }
    if (lockkeeper_memory() != NULL) {
        int domain = AF_INET;
        socklen_t room = sizeof(domain);
        getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &room);
        if (domain == AF_UNIX && (level != SOL_SOCKET || limit != NULL)) {
            return 0;
        }
    }
    return NEXT(setsockopt)(file, level, name, value, size);
}

EXPORTED int getsockopt(int file, int level, int name, void* restrict out, socklen_t* restrict size) {
    const int64_t* limit = limit_of(file, level, name);
    if (limit != NULL && holds_limits() && *size >= sizeof(struct timeval)) {
        struct timeval* time = out;
        time->tv_sec = *limit / 1000000000;
        time->tv_usec = *limit % 1000000000 / 1000;
        *size = sizeof(*time);
        return 0;
    }
    static int (*next)(int, int, int, void*, socklen_t*);
    next = next != NULL ? next : NEXT(getsockopt);
    return next(file, level, name, out, size);
}

/* Calls that may wait. True: this one does, with a limit. */
static int begin_to_read(int file, int flags) {
    if (!lockkeeper_ring_before_read(file)) {
        return 0;
    }
    const int64_t limit = file >= 0 && file < FILES ? limits[0][file] : 0;
    if (limit == 0 || (flags & MSG_DONTWAIT) != 0 || (fcntl(file, F_GETFL) & O_NONBLOCK) != 0) {
        return 0;
    }
    lockkeeper_wait_begin(lockkeeper_after(limit));
    return 1;
}

static ssize_t end_to_read(int has_limit, ssize_t result) {
    if (has_limit) {
        const int error = errno;
        const int fired = lockkeeper_wait_end();
        errno = result < 0 && error == EINTR && fired ? EAGAIN : error;
    }
    return result;
}

EXPORTED ssize_t read(int file, void* out, size_t size) {
    static ssize_t (*next)(int, void*, size_t);
    next = next != NULL ? next : NEXT(read);
    const char* const held = lockkeeper_held_file(file);
    if (held != NULL) {
        return lockkeeper_read_file(file, out, size, held);
    }
    const int has_limit = begin_to_read(file, 0);
    return end_to_read(has_limit, next(file, out, size));
}

EXPORTED ssize_t readv(int file, const struct iovec* parts, int count) {
    if (lockkeeper_held_file(file) != NULL) {
        return lockkeeper_not_held("readv");
    }
    const int has_limit = begin_to_read(file, 0);
    return end_to_read(has_limit, NEXT(readv)(file, parts, count));
}

EXPORTED ssize_t recv(int file, void* out, size_t size, int flags) {
    const int has_limit = begin_to_read(file, flags);
    return end_to_read(has_limit, NEXT(recv)(file, out, size, flags));
}

EXPORTED ssize_t recvfrom(int file, void* restrict out, size_t size, int flags,
                          struct sockaddr* restrict address, socklen_t* restrict length) {
    const int has_limit = begin_to_read(file, flags);
    return end_to_read(has_limit, NEXT(recvfrom)(file, out, size, flags, address, length));
}

EXPORTED ssize_t recvmsg(int file, struct msghdr* message, int flags) {
    const int has_limit = begin_to_read(file, flags);
    return end_to_read(has_limit, NEXT(recvmsg)(file, message, flags));
}

/* As compilers call them that check sizes: of buffers whose size the caller knows. */
#define CHECKED(size, room)    \
    if ((size) > (room)) {     \
        lockkeeper_overflow(); \
    }
static void lockkeeper_overflow(void) {
    static void (*next)(void);
    next = (__typeof__(next))lockkeeper_next("__chk_fail");
    next();
}

EXPORTED ssize_t __read_chk(int file, void* out, size_t size, size_t room) {
    CHECKED(size, room)
    return read(file, out, size);
}
EXPORTED ssize_t __recv_chk(int file, void* out, size_t size, size_t room, int flags) {
    CHECKED(size, room)
    return recv(file, out, size, flags);
}
EXPORTED ssize_t __recvfrom_chk(int file, void* restrict out, size_t size, size_t room, int flags,
                                struct sockaddr* restrict address, socklen_t* restrict length) {
    CHECKED(size, room)
    return recvfrom(file, out, size, flags, address, length);
}
