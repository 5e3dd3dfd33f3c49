// SPDX-License-Identifier: Apache-2.0

// Any bytes as what a client or a server sends at the wire: requests and answers of Redis,
// PostgreSQL, MariaDB, ZooKeeper and NATS. The first byte says of which, the rest is cut into
// messages, or BadBytes says why not. A message ends within the text, is the same when it stands
// alone, and is one line for people.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/wire/framing.hpp"
#include "validate/wire/mariadb_protocol.hpp"
#include "validate/wire/nats.hpp"
#include "validate/wire/postgresql_protocol.hpp"
#include "validate/wire/resp.hpp"
#include "validate/wire/zookeeper.hpp"

namespace {

using namespace lockkeeper::wire;

void demand(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void demand_one_line(const std::string& text) { demand(text.find('\n') == std::string::npos); }

// The text without the message that it begins with; nothing: that message has not come whole.
template <class Length>
std::optional<std::string_view> cut(std::string_view& text, const Length& length) {
    const std::optional<std::size_t> size = length(text);
    if (!size) {
        return std::nullopt;
    }
    demand(*size > 0 && *size <= text.size());
    const std::string_view message = text.substr(0, *size);
    demand(length(message) == size);
    text.remove_prefix(*size);
    return message;
}

void redis_requests(std::string_view text) {
    const auto length = [](std::string_view rest) -> std::optional<std::size_t> {
        const auto command = read_command(rest);
        return command ? std::optional(command->bytes) : std::nullopt;
    };
    while (const auto message = cut(text, length)) {
        demand_one_line(shown_command(read_command(*message)->words));
    }
}

void redis_replies(std::string_view text) {
    while (const auto message = cut(text, reply_length)) {
        static_cast<void>(parse_reply(*message));
        demand_one_line(shown_reply(*message));
    }
}

void postgresql_requests(std::string_view text) {
    bool has_begun = false;
    const auto length = [&](std::string_view rest) -> std::optional<std::size_t> {
        const auto request = read_postgresql_request(rest, has_begun);
        return request ? std::optional(request->bytes) : std::nullopt;
    };
    while (const auto message = cut(text, length)) {
        const auto request = read_postgresql_request(*message, has_begun);
        static_cast<void>(postgresql_footprint(request->text));
        static_cast<void>(mentions(*message, "listen"));
        has_begun = has_begun || request->kind == PostgresqlRequest::Kind::kStartup;
    }
}

void postgresql_answers(std::string_view text) {
    static_cast<void>(postgresql_session(text));
    static_cast<void>(comparable_postgresql_answer(text));
    demand_one_line(shown_postgresql_answer(text));
    while (cut(text, postgresql_message_length)) {
    }
}

void mariadb_requests(std::string_view text) {
    bool has_begun = false;
    while (const auto packet = cut(text, mariadb_packet_length)) {
        const MariadbRequest request = read_mariadb_request(*packet, has_begun);
        static_cast<void>(mariadb_footprint(request));
        has_begun = true;
    }
}

void mariadb_answers(std::string_view text, MariadbAnswer kind) {
    static_cast<void>(mariadb_session(text));
    static_cast<void>(mariadb_session(plain_mariadb_greeting(std::string(text))));
    demand_one_line(shown_mariadb_answer(text));
    MariadbAnswerEnd end;
    end.begin(kind);
    while (const auto packet = cut(text, mariadb_packet_length)) {
        if (end.take(*packet)) {
            end.begin(kind);
        }
    }
}

void zookeeper_messages(std::string_view text, bool is_request) {
    const auto length = [](std::string_view rest) {
        return framed_request_length(Framing::kZookeeper, rest);
    };
    MessageKind kind = is_request ? MessageKind::kFirstRequest : MessageKind::kFirstReply;
    while (const auto message = cut(text, length)) {
        demand_one_line(zookeeper_text(kind, *message));
        static_cast<void>(steady_zookeeper(kind, *message));
        static_cast<void>(is_zookeeper_event(*message));
        const auto session = zookeeper_session(*message);
        demand(!session || session->password.size() <= 64);
        const auto names = zookeeper_names(*message);
        demand(!names || zookeeper_error(*message) == 0);
        kind = is_request ? MessageKind::kRequest : MessageKind::kReply;
    }
}

void nats_messages(std::string_view text) {
    std::vector<std::string> inboxes;
    while (const auto message = cut(text, nats_length)) {
        const FramedRequest request = nats_request(*message, inboxes);
        demand(request.replies == 0 || is_nats_ping(*message));
        static_cast<void>(is_nats_push(*message));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    constexpr std::uint8_t kParties = 8;
    constexpr std::uint8_t kAnswers = static_cast<std::uint8_t>(MariadbAnswer::kNothing) + 1;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        switch (data[0] % (kParties + kAnswers)) {
            case 0: redis_requests(text); break;
            case 1: redis_replies(text); break;
            case 2: postgresql_requests(text); break;
            case 3: postgresql_answers(text); break;
            case 4: mariadb_requests(text); break;
            case 5: zookeeper_messages(text, true); break;
            case 6: zookeeper_messages(text, false); break;
            case 7: nats_messages(text); break;
            default:
                mariadb_answers(
                    text, static_cast<MariadbAnswer>(data[0] % (kParties + kAnswers) - kParties));
        }
    } catch (const BadBytes&) {
        return 0;
    }
    return 0;
}
