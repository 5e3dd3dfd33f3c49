// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/loopback.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "model/check.hpp"

namespace lockkeeper::wire {
namespace {

constexpr int kBacklog = 64;
constexpr int kConnectMilliseconds = 5'000;
// Some of the kernel's TCP states, whose header does not go with <linux/tcp.h>.
constexpr std::uint32_t kSynSent = 2;
constexpr std::uint32_t kSynReceived = 3;
constexpr std::uint32_t kNewSynReceived = 12;
constexpr std::uint8_t kEstablished = 1;
constexpr std::uint8_t kFinWait1 = 4;

struct DiagQuestion {
    nlmsghdr header;
    inet_diag_req_v2 body;
};

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
    constexpr std::string_view kListens = "0A";
    for (const char* name : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream file(name);
        std::string line;
        std::getline(file, line);
        while (std::getline(file, line)) {
            std::istringstream words(line);
            std::string number;
            std::string own;
            std::string other;
            std::string state;
            words >> number >> own >> other >> state;
            const std::size_t colon = own.find(':');
            const bool is_loopback = own.starts_with("0100007F:") ||
                                     own.starts_with("00000000000000000000000001000000:");
            if (state == kListens && colon != std::string::npos && !is_loopback &&
                std::strtoul(own.c_str() + colon + 1, nullptr, 16) == port) {
                return true;
            }
        }
    }
    return false;
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

LoopbackState::LoopbackState()
    : netlink_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
    if (netlink_ < 0) {
        fail_at("the kernel's list of sockets");
    }
}

LoopbackState::~LoopbackState() { close(netlink_); }

// The other end of a connection within this machine; it does not exist any more where it was
// closed and knows of the end of this one.
LoopbackState::Peer LoopbackState::peer_of(int file) {
    sockaddr_in own{};
    sockaddr_in other{};
    socklen_t size = sizeof(own);
    if (getsockname(file, reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
        getpeername(file, reinterpret_cast<sockaddr*>(&other), &size) != 0) {
        return {};
    }
    DiagQuestion question{};
    question.header.nlmsg_len = sizeof(question);
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.body.sdiag_family = AF_INET;
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
    question.body.idiag_states = ~0U;
    question.body.id.idiag_sport = other.sin_port;
    question.body.id.idiag_dport = own.sin_port;
    question.body.id.idiag_src[0] = other.sin_addr.s_addr;
    question.body.id.idiag_dst[0] = own.sin_addr.s_addr;
    question.body.id.idiag_cookie[0] = question.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (send(netlink_, &question, sizeof(question), 0) < 0) {
        fail_at("the kernel's list of sockets");
    }
    alignas(nlmsghdr) std::array<char, 8192> buffer;
    const ssize_t count = recv(netlink_, buffer.data(), buffer.size(), 0);
    if (count < static_cast<ssize_t>(sizeof(nlmsghdr))) {
        fail_at("the kernel's list of sockets");
    }
    const auto* header = reinterpret_cast<const nlmsghdr*>(buffer.data());
    if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY) {
        return {};
    }
    const auto* message = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
    Peer peer{true, message->idiag_state, 0, 0};
    std::size_t at = NLMSG_LENGTH(sizeof(inet_diag_msg));
    while (at + sizeof(nlattr) <= header->nlmsg_len) {
        nlattr attribute{};
        std::memcpy(&attribute, buffer.data() + at, sizeof(attribute));
        if (attribute.nla_type == INET_DIAG_INFO) {
            tcp_info info{};
            std::memcpy(&info, buffer.data() + at + NLA_HDRLEN,
                        std::min<std::size_t>(sizeof(info), attribute.nla_len - NLA_HDRLEN));
            peer.sent = counted(info).sent;
            peer.received = counted(info).received;
        }
        at += NLA_ALIGN(std::max<std::size_t>(attribute.nla_len, NLA_HDRLEN));
    }
    return peer;
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
    const Peer peer = peer_of(file);
    const CountedBytes after = own();
    if (before.received != after.received || before.state != after.state) {
        return false;
    }
    if (after.state == kSynSent) {
        return false;
    }
    if (!peer.exists) {
        // Reset, or both ends are closed: what the other had sent last has come with that.
        return after.state != kEstablished;
    }
    const bool end_is_on_its_way = after.state == kFinWait1 && peer.state == kEstablished;
    const bool its_end_is = peer.state == kFinWait1 && after.state == kEstablished;
    return peer.received >= after.sent && after.received >= peer.sent && !end_is_on_its_way &&
           !its_end_is;
}

bool LoopbackState::is_being_connected(std::uint16_t port) {
    DiagQuestion question{};
    question.header.nlmsg_len = sizeof(question);
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.body.sdiag_family = AF_INET;
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_states = 1U << kSynSent | 1U << kSynReceived | 1U << kNewSynReceived;
    if (send(netlink_, &question, sizeof(question), 0) < 0) {
        fail_at("the kernel's list of sockets");
    }
    bool found = false;
    for (;;) {
        alignas(nlmsghdr) std::array<char, 32768> buffer;
        ssize_t count = recv(netlink_, buffer.data(), buffer.size(), 0);
        if (count < static_cast<ssize_t>(sizeof(nlmsghdr))) {
            fail_at("the kernel's list of sockets");
        }
        auto left = static_cast<unsigned>(count);
        for (auto* header = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(header, left);
             header = NLMSG_NEXT(header, left)) {
            if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) {
                return found;
            }
            const auto* message = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
            found = found || ntohs(message->id.idiag_dport) == port ||
                    ntohs(message->id.idiag_sport) == port;
        }
    }
}

}  // namespace lockkeeper::wire
