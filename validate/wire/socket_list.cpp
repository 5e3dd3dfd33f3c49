// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/socket_list.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace lockkeeper::wire {
namespace {

template <class Body>
struct Question {
    nlmsghdr header{};
    Body body{};

    explicit Question(std::uint16_t type, std::uint16_t flags = 0) {
        header.nlmsg_len = sizeof(*this);
        header.nlmsg_type = type;
        header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    }
};

[[noreturn]] void fail_to_list() {
    throw std::system_error(errno, std::generic_category(), "the kernel's list of sockets");
}

TcpEnd end_of(const nlmsghdr& header) {
    const char* const bytes = reinterpret_cast<const char*>(&header);
    inet_diag_msg message{};
    std::memcpy(&message, bytes + NLMSG_HDRLEN, sizeof(message));
    TcpEnd end;
    std::copy(std::begin(message.id.idiag_src), std::end(message.id.idiag_src),
              end.own_address.begin());
    std::copy(std::begin(message.id.idiag_dst), std::end(message.id.idiag_dst),
              end.other_address.begin());
    end.own_port = ntohs(message.id.idiag_sport);
    end.other_port = ntohs(message.id.idiag_dport);
    end.family = message.idiag_family;
    end.inode = message.idiag_inode;
    end.state = message.idiag_state;
    std::size_t at = NLMSG_LENGTH(sizeof(inet_diag_msg));
    while (at + sizeof(nlattr) <= header.nlmsg_len) {
        nlattr attribute{};
        std::memcpy(&attribute, bytes + at, sizeof(attribute));
        if (attribute.nla_type == INET_DIAG_INFO && attribute.nla_len > NLA_HDRLEN) {
            tcp_info info{};
            std::memcpy(&info, bytes + at + NLA_HDRLEN,
                        std::min<std::size_t>(sizeof(info), attribute.nla_len - NLA_HDRLEN));
            // Bytes that wait to be sent count as sent; bytes sent again count once.
            end.sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
            end.received = info.tcpi_bytes_received;
        }
        at += NLA_ALIGN(std::max<std::size_t>(attribute.nla_len, NLA_HDRLEN));
    }
    return end;
}

}  // namespace

bool is_other_end(const TcpEnd& one, const TcpEnd& other) {
    return one.own_port == other.other_port && one.other_port == other.own_port &&
           one.own_address == other.other_address && one.other_address == other.own_address;
}

SocketList::SocketList() : file_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
    if (file_ < 0) {
        fail_to_list();
    }
}

SocketList::~SocketList() { close(file_); }

void SocketList::ask(const void* question, std::size_t bytes) const {
    if (send(file_, question, bytes, 0) < 0) {
        fail_to_list();
    }
}

// Takes one packet of answers. False: that was the last of them.
bool SocketList::take_answers(std::vector<TcpEnd>& out) const {
    alignas(nlmsghdr) std::array<char, 32768> buffer;
    const ssize_t count = recv(file_, buffer.data(), buffer.size(), 0);
    if (count < static_cast<ssize_t>(sizeof(nlmsghdr))) {
        fail_to_list();
    }
    auto left = static_cast<unsigned>(count);
    for (auto* header = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
        if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) {
            return false;
        }
        out.push_back(end_of(*header));
    }
    return true;
}

// The older form of the question is answered with both families at once.
std::vector<TcpEnd> SocketList::all(std::uint32_t states) const {
    Question<inet_diag_req> question(TCPDIAG_GETSOCK, NLM_F_DUMP);
    question.body.idiag_family = AF_INET;
    question.body.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
    question.body.idiag_states = states;
    ask(&question, sizeof(question));
    std::vector<TcpEnd> out;
    while (take_answers(out)) {
    }
    return out;
}

std::optional<TcpEnd> SocketList::one(const TcpEnd& end) const {
    Question<inet_diag_req_v2> question(SOCK_DIAG_BY_FAMILY);
    question.body.sdiag_family = end.family;
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
    question.body.idiag_states = ~0U;
    inet_diag_sockid& id = question.body.id;
    std::copy(end.own_address.begin(), end.own_address.end(), std::begin(id.idiag_src));
    std::copy(end.other_address.begin(), end.other_address.end(), std::begin(id.idiag_dst));
    id.idiag_sport = htons(end.own_port);
    id.idiag_dport = htons(end.other_port);
    id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    ask(&question, sizeof(question));
    std::vector<TcpEnd> found;
    static_cast<void>(take_answers(found));
    // Where nobody is connected so, the kernel may name who listens at the port.
    const bool is_there = !found.empty() && found.front().own_port == end.own_port &&
                          found.front().other_port == end.other_port;
    return is_there ? std::optional(found.front()) : std::nullopt;
}

bool SocketList::is_local(std::uint32_t inode) const {
    Question<unix_diag_req> question(SOCK_DIAG_BY_FAMILY);
    question.body.sdiag_family = AF_UNIX;
    question.body.udiag_states = ~0U;
    question.body.udiag_ino = inode;
    question.body.udiag_cookie[0] = question.body.udiag_cookie[1] = ~0U;
    ask(&question, sizeof(question));
    alignas(nlmsghdr) std::array<char, 4096> buffer;
    const ssize_t count = recv(file_, buffer.data(), buffer.size(), 0);
    return count >= static_cast<ssize_t>(sizeof(nlmsghdr)) &&
           reinterpret_cast<const nlmsghdr*>(buffer.data())->nlmsg_type == SOCK_DIAG_BY_FAMILY;
}

}  // namespace lockkeeper::wire
