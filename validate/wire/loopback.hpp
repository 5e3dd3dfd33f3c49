// SPDX-License-Identifier: Apache-2.0

// TCP on the loopback, for programs that cannot be given a local socket in its place: servers that
// Lockkeeper does not know, and static clients. Delivery is not synchronous there: a busy kernel
// may hold a segment while both ends sleep. So whoever asks whether somebody is at rest asks here,
// too, whether everything has arrived: the kernel counts the bytes at both ends.
#pragma once

#include <cstdint>
#include <optional>

#include "validate/wire/socket_list.hpp"

namespace lockkeeper::wire {

// A listening socket that never blocks, on a free port of 127.0.0.1. Throws std::system_error.
[[nodiscard]] int listen_on_loopback(std::uint16_t& port);
// A connected socket that never blocks; negative: nobody listens.
[[nodiscard]] int connect_on_loopback(std::uint16_t port);
// A port that nobody has now; `wanted`, if that one is free. Throws std::system_error.
[[nodiscard]] std::uint16_t free_port(std::uint16_t wanted = 0);

// Somebody listens at this port at another address than the loopback's.
[[nodiscard]] bool listens_beyond_loopback(std::uint16_t port);

class LoopbackState {
  public:
    // The kernel has delivered all that either end of this connection has sent, the closing
    // included.
    [[nodiscard]] bool has_arrived(int file);
    // Somebody's connection to this port is under way.
    [[nodiscard]] bool is_being_connected(std::uint16_t port);

  private:
    [[nodiscard]] std::optional<TcpEnd> peer_of(int file);

    SocketList list_;
};

}  // namespace lockkeeper::wire
