// SPDX-License-Identifier: Apache-2.0

// TCP on the loopback inside a server that Lockkeeper does not know: etcd's gateway asks etcd so. A
// busy kernel may hold a segment while both ends, and so the whole server, sleep. Used by TcpServer
// to know that its server is at rest.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <vector>

#include "validate/wire/socket_list.hpp"

namespace lockkeeper::wire {

// The connections of a server's processes. Whoever asks again pays little: the kernel is asked for
// all connections of this machine only where a process has a file that was not known.
class EndsInside {
  public:
    // Both ends of the connections of which one is a file of these processes, and the other is on
    // this machine, in order. Throws std::system_error.
    // Limit: a file that was connected once is not looked for elsewhere.
    [[nodiscard]] std::vector<TcpEnd> of(const std::vector<pid_t>& processes);

  private:
    void look_at_all(const std::set<std::uint32_t>& inodes);

    SocketList list_;
    std::set<std::uint32_t> known_;  // files that listen, are local, or are among the ends
    std::vector<TcpEnd> ends_;
};

// The other end has received all that either end of each connection has sent.
[[nodiscard]] bool all_have_arrived(const std::vector<TcpEnd>& ends);

}  // namespace lockkeeper::wire
