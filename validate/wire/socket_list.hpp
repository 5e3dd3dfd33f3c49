// SPDX-License-Identifier: Apache-2.0

// The kernel's list of sockets (sock_diag(7)), for loopback.hpp and loopback_inside.hpp: who is
// connected with whom, and how many bytes went which way. Whoever asks for one connection is
// answered in microseconds; a list takes milliseconds, because the kernel looks through its whole
// table of connections. Errors: std::system_error.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockkeeper::wire {

// One end of a connection, and what its kernel has counted.
struct TcpEnd {
    std::array<std::uint32_t, 4> own_address{};
    std::array<std::uint32_t, 4> other_address{};
    std::uint16_t own_port = 0;
    std::uint16_t other_port = 0;
    std::uint8_t family = 0;
    std::uint32_t inode = 0;
    std::uint8_t state = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    friend auto operator<=>(const TcpEnd&,
                            const TcpEnd&) = default;  // NOLINT(modernize-use-nullptr)
};

// The kernel's TCP states, whose header does not go with <linux/tcp.h>.
enum TcpState : std::uint8_t {
    kTcpEstablished = 1,
    kTcpSynSent = 2,
    kTcpSynReceived = 3,
    kTcpFinWait1 = 4,
    kTcpTimeWait = 6,
    kTcpCloseWait = 8,
    kTcpListen = 10,
    kTcpNewSynReceived = 12,
};
[[nodiscard]] constexpr std::uint32_t bit_of(TcpState state) { return 1U << state; }

[[nodiscard]] bool is_other_end(const TcpEnd& one, const TcpEnd& other);

class SocketList {
  public:
    SocketList();
    ~SocketList();
    SocketList(const SocketList&) = delete;
    SocketList& operator=(const SocketList&) = delete;

    // All TCP sockets of this machine in one of these states (bits). Listening ones alone cost
    // little.
    [[nodiscard]] std::vector<TcpEnd> all(std::uint32_t states) const;
    // The socket with this family, these addresses and these ports, as it is now.
    [[nodiscard]] std::optional<TcpEnd> one(const TcpEnd& end) const;
    // Whether the file is a socket of AF_UNIX.
    [[nodiscard]] bool is_local(std::uint32_t inode) const;

  private:
    void ask(const void* question, std::size_t bytes) const;
    [[nodiscard]] bool take_answers(std::vector<TcpEnd>& out) const;

    int file_ = -1;
};

}  // namespace lockkeeper::wire
