// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/loopback_inside.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace lockkeeper::wire {
namespace {

// Some of the kernel's TCP states, whose header does not go with <linux/tcp.h>.
constexpr std::uint32_t kTimeWaits = 6;
constexpr std::uint32_t kListening = 10;
constexpr std::uint32_t kHalfOpen = 12;
constexpr std::uint32_t kConnectedStates = ~(1U << kTimeWaits | 1U << kListening | 1U << kHalfOpen);

struct DumpQuestion {
    nlmsghdr header;
    inet_diag_req_v2 body;
};

[[noreturn]] void fail_to_list() {
    throw std::system_error(errno, std::generic_category(), "the kernel's list of sockets");
}

class SocketList {
  public:
    SocketList() : file_(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
        if (file_ < 0) {
            fail_to_list();
        }
    }
    ~SocketList() { close(file_); }
    SocketList(const SocketList&) = delete;
    SocketList& operator=(const SocketList&) = delete;

    // Every connection of this family.
    void add_ends(std::uint8_t family, std::vector<TcpEnd>& out) const {
        DumpQuestion question{};
        question.header.nlmsg_len = sizeof(question);
        question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
        question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
        question.body.sdiag_family = family;
        question.body.sdiag_protocol = IPPROTO_TCP;
        question.body.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
        question.body.idiag_states = kConnectedStates;
        if (send(file_, &question, sizeof(question), 0) < 0) {
            fail_to_list();
        }
        while (take_answers(out)) {
        }
    }

  private:
    // False: that was the last of them.
    bool take_answers(std::vector<TcpEnd>& out) const {
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

    static TcpEnd end_of(const nlmsghdr& header) {
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

    int file_;
};

void add_inodes(pid_t process, std::set<std::uint32_t>& out) {
    constexpr std::string_view kSocket = "socket:[";
    const std::string path = "/proc/" + std::to_string(process) + "/fd";
    DIR* const directory = opendir(path.c_str());
    while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
        std::array<char, 64> target;
        const ssize_t length =
            readlink((path + "/" + entry->d_name).c_str(), target.data(), target.size());
        const std::string_view text(target.data(),
                                    length < 0 ? 0 : static_cast<std::size_t>(length));
        std::uint32_t inode = 0;
        if (text.starts_with(kSocket) &&
            std::from_chars(text.data() + kSocket.size(), text.data() + text.size(), inode).ec ==
                std::errc()) {
            out.insert(inode);
        }
    }
    if (directory != nullptr) {
        closedir(directory);
    }
}

bool is_other_end(const TcpEnd& one, const TcpEnd& other) {
    return one.own_port == other.other_port && one.other_port == other.own_port &&
           one.own_address == other.other_address && one.other_address == other.own_address;
}

}  // namespace

std::vector<TcpEnd> ends_inside(const std::vector<pid_t>& processes) {
    std::set<std::uint32_t> inodes;
    for (const pid_t process : processes) {
        add_inodes(process, inodes);
    }
    std::vector<TcpEnd> all;
    const SocketList list;
    list.add_ends(AF_INET, all);
    list.add_ends(AF_INET6, all);
    std::vector<TcpEnd> out;
    for (const TcpEnd& end : all) {
        const bool is_own = inodes.count(end.inode) > 0;
        const bool is_between = std::any_of(all.begin(), all.end(), [&](const TcpEnd& other) {
            return is_other_end(end, other) && (is_own || inodes.count(other.inode) > 0);
        });
        if (is_between) {
            out.push_back(end);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

bool all_have_arrived(const std::vector<TcpEnd>& ends) {
    return std::all_of(ends.begin(), ends.end(), [&](const TcpEnd& end) {
        const auto other = std::find_if(ends.begin(), ends.end(), [&](const TcpEnd& candidate) {
            return is_other_end(end, candidate);
        });
        return other != ends.end() && other->received >= end.sent;
    });
}

}  // namespace lockkeeper::wire
