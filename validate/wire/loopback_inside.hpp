// SPDX-License-Identifier: Apache-2.0

// TCP on the loopback inside a server that Lockkeeper does not know: etcd's gateway asks etcd so. A
// busy kernel may hold a segment while both ends, and so the whole server, sleep. Used by TcpServer
// to know that its server is at rest.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <vector>

namespace lockkeeper::wire {

// One end of a connection, and what its kernel has counted.
struct TcpEnd {
    std::array<std::uint32_t, 4> own_address{};
    std::array<std::uint32_t, 4> other_address{};
    std::uint16_t own_port = 0;
    std::uint16_t other_port = 0;
    std::uint32_t inode = 0;
    std::uint8_t state = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    friend auto operator<=>(const TcpEnd&,
                            const TcpEnd&) = default;  // NOLINT(modernize-use-nullptr)
};

// Both ends of the connections of which one is a file of these processes, and the other is on this
// machine, in order. Throws std::system_error.
[[nodiscard]] std::vector<TcpEnd> ends_inside(const std::vector<pid_t>& processes);

// The other end has received all that either end of each connection has sent.
[[nodiscard]] bool all_have_arrived(const std::vector<TcpEnd>& ends);

}  // namespace lockkeeper::wire
