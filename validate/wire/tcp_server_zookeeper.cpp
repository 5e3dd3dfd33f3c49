// SPDX-License-Identifier: Apache-2.0

// ZooKeeper, as far as it is known: its sessions end and its nodes are deleted between two
// runs where no time has passed. A server whose clock has gone on is started again instead: it
// keeps, by its clock, the moments at which sessions end, and never goes back.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/tcp_server.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::size_t kNodesMax = 100'000;  // that one run may leave

// "/zookeeper" is the server's own.
bool is_own(const std::string& path) { return path == "/zookeeper"; }

}  // namespace

// The JVM takes the clock, but did not come to rest each time when its timers were ended: so they
// never are, no session ends by time, and whether one would have is not known.
void TcpServer::begin_zookeeper() {
    stands_still_ = !runs_on_real_time_;
    runs_on_real_time_ = true;
    Connection connection(0, 0, 0, -1);
    std::optional<ZookeeperSession> session;
    try {
        connection.upstream = connect_upstream();
        session = zookeeper_session(answer_to(connection, zookeeper_connect({0, 1, ""})));
    } catch (const Misbehaved&) {  // what it says is none of ZooKeeper's messages, or nothing
        session.reset();
    }
    if (!session || session->timeout_milliseconds <= 0) {
        stop();
        throw BadInput({server_.command, "", "does not begin a session of ZooKeeper"});
    }
    static_cast<void>(answer_to(connection, zookeeper_close()));
    close_upstream(connection);
}

void TcpServer::end_session(const ZookeeperSession& session) {
    Connection connection(0, 0, 0, -1);
    connection.upstream = connect_upstream();
    const auto again = zookeeper_session(answer_to(connection, zookeeper_connect(session)));
    if (again && again->timeout_milliseconds > 0) {
        static_cast<void>(answer_to(connection, zookeeper_close()));
    }
    close_upstream(connection);
}

// False: it has to be started again.
bool TcpServer::forget_nodes() {
    if (framing_ != Framing::kZookeeper || kept_ || time_has_passed_) {
        return false;
    }
    words_.forget();
    for (const ZookeeperSession& session : std::exchange(sessions_, {})) {
        end_session(session);
    }
    Connection connection(0, 0, 0, -1);
    connection.upstream = connect_upstream();
    static_cast<void>(answer_to(connection, zookeeper_connect({0, 1, ""})));
    const bool are_deleted = delete_nodes(connection);
    static_cast<void>(answer_to(connection, zookeeper_close()));
    close_upstream(connection);
    settle();
    return are_deleted;
}

// False: there are too many, or some are not to be seen or deleted: a node's list of who may do
// what counts for the harness, too.
bool TcpServer::delete_nodes(Connection& connection) {
    // Each node stands behind its parent.
    std::vector<std::string> paths{"/"};
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::string path = paths[i];
        const std::string answer = answer_to(connection, zookeeper_children(path));
        if (zookeeper_error(answer) == kZookeeperNoNode) {
            continue;
        }
        const auto names = zookeeper_names(answer);
        if (!names || paths.size() + names->size() > kNodesMax) {
            return false;
        }
        for (const std::string& name : *names) {
            const std::string child = (path == "/" ? "" : path) + "/" + name;
            if (!is_own(child)) {
                paths.push_back(child);
            }
        }
    }
    for (std::size_t i = paths.size(); i > 1; --i) {
        const auto error = zookeeper_error(answer_to(connection, zookeeper_delete(paths[i - 1])));
        if (error != 0 && error != kZookeeperNoNode) {
            return false;
        }
    }
    return true;
}

}  // namespace lockkeeper::wire
