// SPDX-License-Identifier: Apache-2.0

/* Connections: whoever connects to a server's address gets a local stream socket of the harness's,
 * which knows by it who has connected. Nobody connects to anybody else by TCP. */
#include "validate/wire/preload/preload.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
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
    if (port < 0 || lockkeeper_caller() == LOCKKEEPER_WIRE_SERVER || !is_stream(file)) {
        return NEXT(connect)(file, address, size);
    }
    for (uint32_t server = 0; server < memory->servers_count; ++server) {
        if (memory->ports[server] == port && !memory->is_down[server]) {
            return connect_to_harness(file, (int)server);
        }
    }
    const struct lockkeeper_wire_caller* own = lockkeeper_own();
    if (own != NULL && own->tcp_port != 0 && own->tcp_port == (uint32_t)port) {
        return connect_to_harness(file, 0);
    }
    errno = ECONNREFUSED;
    return -1;
}

/* What is said of TCP to a local socket is no error, and its waits have no real time. */
EXPORTED int setsockopt(int file, int level, int name, const void* value, socklen_t size) {
    if (lockkeeper_memory() != NULL) {
        int domain = AF_INET;
        socklen_t room = sizeof(domain);
        getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &room);
        const int is_time = level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO);
        if (domain == AF_UNIX && (level != SOL_SOCKET || is_time)) {
            return 0;
        }
    }
    return NEXT(setsockopt)(file, level, name, value, size);
}

/* Calls that may wait without a time limit. */
EXPORTED ssize_t read(int file, void* out, size_t size) {
    static ssize_t (*next)(int, void*, size_t);
    next = next != NULL ? next : NEXT(read);
    lockkeeper_ring_before_read(file);
    return next(file, out, size);
}

EXPORTED ssize_t recv(int file, void* out, size_t size, int flags) {
    lockkeeper_ring_before_read(file);
    return NEXT(recv)(file, out, size, flags);
}

EXPORTED ssize_t recvfrom(int file, void* restrict out, size_t size, int flags,
                          struct sockaddr* restrict address, socklen_t* restrict length) {
    lockkeeper_ring_before_read(file);
    return NEXT(recvfrom)(file, out, size, flags, address, length);
}

EXPORTED ssize_t recvmsg(int file, struct msghdr* message, int flags) {
    lockkeeper_ring_before_read(file);
    return NEXT(recvmsg)(file, message, flags);
}
