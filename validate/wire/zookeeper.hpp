// SPDX-License-Identifier: Apache-2.0

// The messages of ZooKeeper, which begin with their length in 4 bytes (framing.hpp finds their
// ends): sessions, watches that fire, how a message looks to a person, and what of it is another
// one in each run. For Proxy and TcpServer. Bytes come from outside: what is cut off is shown as
// far as it goes, and grants nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper::wire {

// A connection's first message and its answer have neither number nor operation, and clients may
// number requests from 0: so only the place of a message says what it is.
enum class MessageKind : std::uint8_t { kFirstRequest, kRequest, kFirstReply, kReply };

// Its ephemeral nodes end with it.
struct ZookeeperSession {
    std::uint64_t id = 0;
    std::int32_t timeout_milliseconds = 0;  // as agreed; 0: there is no such session any more
    std::string password;
};

// `answer`: the first one of a connection; nothing: it begins no session.
[[nodiscard]] std::optional<ZookeeperSession> zookeeper_session(std::string_view answer);

// A watch has fired: it answers no request.
[[nodiscard]] bool is_zookeeper_event(std::string_view message);

// For people.
[[nodiscard]] std::string zookeeper_text(MessageKind kind, std::string_view message);
// The same in each run: without numbers of transactions and sessions, and without
// moments.
[[nodiscard]] std::string steady_zookeeper(MessageKind kind, std::string_view message);

// Messages of the harness itself, which forgets everything between two runs.
[[nodiscard]] std::string zookeeper_connect(const ZookeeperSession& session);
[[nodiscard]] std::string zookeeper_children(const std::string& path);
[[nodiscard]] std::string zookeeper_delete(const std::string& path);
[[nodiscard]] std::string zookeeper_close();
// 0, or the error that an answer behind the first one gives; nothing: it is cut off.
[[nodiscard]] std::optional<std::int32_t> zookeeper_error(std::string_view answer);
inline constexpr std::int32_t kZookeeperNoNode = -101;
// Names behind zookeeper_children; nothing: there is no such node, or it is no such answer.
[[nodiscard]] std::optional<std::vector<std::string>> zookeeper_names(std::string_view answer);

}  // namespace lockkeeper::wire
