// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/loopback.hpp"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <vector>

namespace lockkeeper::wire {
namespace {

constexpr int kBacklog = 64;
constexpr int kConnectMilliseconds = 5'000;

[[noreturn]] void fail_at(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in loopback_address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int tcp_socket() {
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0) {
        fail_at("a socket of the loopback");
    }
    return file;
}

bool bind_to(int file, std::uint16_t port) {
    const sockaddr_in address = loopback_address(port);
    return bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

std::uint16_t port_of_socket(int file) {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    return getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) == 0
               ? ntohs(address.sin_port)
               : 0;
}

struct CountedBytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint8_t state = 0;
};

CountedBytes counted(const tcp_info& info) {
    return {info.tcpi_bytes_sent - info.tcpi_bytes_retrans, info.tcpi_bytes_received,
            info.tcpi_state};
}

}  // namespace

int listen_on_loopback(std::uint16_t& port) {
    const int file = tcp_socket();
    if (!bind_to(file, 0) || listen(file, kBacklog) != 0) {
        const int error = errno;
        close(file);
        throw std::system_error(error, std::generic_category(), "a port of the loopback");
    }
    port = port_of_socket(file);
    return file;
}

int connect_on_loopback(std::uint16_t port) {
    const int file = tcp_socket();
    const sockaddr_in address = loopback_address(port);
    bool is_open = connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    if (!is_open && errno == EINPROGRESS) {
        pollfd wait{file, POLLOUT, 0};
        int error = 0;
        socklen_t size = sizeof(error);
        is_open = ::poll(&wait, 1, kConnectMilliseconds) == 1 &&
                  getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
    }
    // A port that nobody listens at may be the own one: then it is connected to itself.
    if (!is_open || port_of_socket(file) == port) {
        close(file);
        return -1;
    }
    const int on = 1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return file;
}

bool listens_beyond_loopback(std::uint16_t port) {
    const std::uint32_t one = htonl(INADDR_LOOPBACK);
    const std::array<std::uint32_t, 4> loopbacks[] = {
        {one, 0, 0, 0}, {0, 0, 0, htonl(1)}, {0, 0, htonl(0xFFFF), one}};
    const std::vector<TcpEnd> listeners = SocketList().all(bit_of(kTcpListen));
    return std::any_of(listeners.begin(), listeners.end(), [&](const TcpEnd& end) {
        return end.own_port == port && std::find(std::begin(loopbacks), std::end(loopbacks),
                                                 end.own_address) == std::end(loopbacks);
    });
}

std::uint16_t free_port(std::uint16_t wanted) {
    const int file = tcp_socket();
    const bool is_free = bind_to(file, wanted) || (wanted != 0 && bind_to(file, 0));
    const std::uint16_t port = is_free ? port_of_socket(file) : 0;
    close(file);
    if (port == 0) {
        fail_at("a port of the loopback");
    }
    return port;
}

// The other end of a connection within this machine; it does not exist any more where it was
// closed and knows of the end of this one.
std::optional<TcpEnd> LoopbackState::peer_of(int file) {
    sockaddr_in own{};
    sockaddr_in other{};
    socklen_t size = sizeof(own);
    if (getsockname(file, reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
        getpeername(file, reinterpret_cast<sockaddr*>(&other), &size) != 0) {
        return std::nullopt;
    }
    TcpEnd peer;
    peer.family = AF_INET;
    peer.own_address[0] = other.sin_addr.s_addr;
    peer.other_address[0] = own.sin_addr.s_addr;
    peer.own_port = ntohs(other.sin_port);
    peer.other_port = ntohs(own.sin_port);
    return list_.one(peer);
}

bool LoopbackState::has_arrived(int file) {
    // The own counts first and last: nothing came in between.
    const auto own = [&] {
        tcp_info info{};
        socklen_t size = sizeof(info);
        if (getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
            info = {};
        }
        return counted(info);
    };
    const CountedBytes before = own();
    const std::optional<TcpEnd> peer = peer_of(file);
    const CountedBytes after = own();
    if (before.received != after.received || before.state != after.state) {
        return false;
    }
    if (after.state == kTcpSynSent) {
        return false;
    }
    if (!peer) {
        // Reset, or both ends are closed: what the other had sent last has come with that.
        return after.state != kTcpEstablished;
    }
    // It has closed its end for good, and the kernel may keep no counts of that: it reads nothing
    // any more, and what it has sent came before its end.
    if (after.state == kTcpCloseWait && peer->inode == 0) {
        return true;
    }
    const bool end_is_on_its_way = after.state == kTcpFinWait1 && peer->state == kTcpEstablished;
    const bool its_end_is = peer->state == kTcpFinWait1 && after.state == kTcpEstablished;
    return peer->received >= after.sent && after.received >= peer->sent && !end_is_on_its_way &&
           !its_end_is;
}

bool LoopbackState::is_being_connected(std::uint16_t port) {
    const std::vector<TcpEnd> ends =
        list_.all(bit_of(kTcpSynSent) | bit_of(kTcpSynReceived) | bit_of(kTcpNewSynReceived));
    return std::any_of(ends.begin(), ends.end(), [&](const TcpEnd& end) {
        return end.own_port == port || end.other_port == port;
    });
}

}  // namespace lockkeeper::wire
