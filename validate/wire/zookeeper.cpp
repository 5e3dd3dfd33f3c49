// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/zookeeper.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockkeeper::wire {
namespace {

constexpr std::size_t kInt = 4;
constexpr std::size_t kLong = 8;
constexpr std::size_t kHeaderOfReply = 3 * kInt + kLong;  // length, number, transaction, error
constexpr std::size_t kHeaderOfRequest = 3 * kInt;        // length, number, operation
constexpr std::size_t kPasswordMax = 64;
constexpr std::size_t kNodeNamesMax = 1'000'000;

constexpr std::int32_t kEvent = -1;  // in place of a request's number
constexpr std::int32_t kCloseOperation = -11;
constexpr std::int32_t kDeleteOperation = 2;
constexpr std::int32_t kChildrenOperation = 8;
// They name the last transaction that the client has seen.
constexpr std::int32_t kWatchOperations[] = {101, 105};

struct NumberedName {
    std::int32_t number;
    const char* name;
};
constexpr NumberedName kOperations[] = {
    {1, "create"},   {2, "delete"},  {3, "exists"},        {4, "get data"},
    {5, "set data"}, {6, "get acl"}, {7, "set acl"},       {8, "get children"},
    {9, "sync"},     {11, "ping"},   {12, "get children"}, {13, "check"},
    {14, "multi"},   {15, "create"}, {19, "create"},       {20, "delete container"},
    {21, "create"},  {100, "auth"},  {101, "set watches"}, {105, "set watches"},
    {-11, "close"}};
constexpr NumberedName kErrors[] = {{-4, "connection loss"},  {-101, "no node"},
                                    {-103, "bad version"},    {-108, "no children for ephemerals"},
                                    {-110, "node exists"},    {-111, "not empty"},
                                    {-112, "session expired"}};
constexpr NumberedName kEvents[] = {
    {1, "created"}, {2, "deleted"}, {3, "changed"}, {4, "children changed"}};

template <std::size_t kCount>
std::string name_in(const NumberedName (&names)[kCount], std::int32_t number, const char* other) {
    const auto* found = std::find_if(std::begin(names), std::end(names),
                                     [&](const NumberedName& row) { return row.number == number; });
    return found == std::end(names) ? fmt::format("{} {}", other, number) : found->name;
}

std::uint64_t number_at(std::string_view text, std::size_t at, std::size_t bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = at; i < at + bytes && i < text.size(); ++i) {
        number = number << 8U | static_cast<unsigned char>(text[i]);
    }
    return number;
}

std::int32_t int_at(std::string_view text, std::size_t at) {
    return static_cast<std::int32_t>(number_at(text, at, kInt));
}

// The string that begins there, as far as the message has it.
std::string_view string_at(std::string_view text, std::size_t at) {
    const std::int32_t length = int_at(text, at);
    if (at + kInt > text.size() || length <= 0) {
        return "";
    }
    return text.substr(at + kInt, static_cast<std::size_t>(length));
}

void add_number(std::string& out, std::uint64_t number, std::size_t bytes) {
    for (std::size_t i = bytes; i > 0; --i) {
        out += static_cast<char>(number >> (8U * (i - 1)) & 0xFFU);
    }
}

std::string with_length(const std::string& body) {
    std::string out;
    add_number(out, body.size(), kInt);
    return out + body;
}

std::string request(std::int32_t operation, const std::string& path) {
    std::string out;
    add_number(out, 1, kInt);
    add_number(out, static_cast<std::uint32_t>(operation), kInt);
    if (!path.empty()) {
        out += with_length(path);
    }
    return out;
}

constexpr std::size_t kFirstAnswer = 3 * kInt + kLong + kInt;  // to the password
constexpr std::size_t kPasswordBytes = 16;

// Three numbers of transactions, the session that owns the node, and two moments. They stand in
// the description of a node, which is found by its moments: milliseconds since 1970, of the years
// 2001 to 2128. The root was never made: its moments are 0 until somebody gives it data, and its
// description stands at the end of an answer. How often it has had children, which nothing takes
// back, is left out, as of every node. Of the session that owns a node only is kept that there is
// one.
constexpr std::size_t kStat = 68;
constexpr std::size_t kOwner = 4 * kLong + 3 * kInt;

bool is_moment(std::string_view text, std::size_t at) {
    constexpr std::uint64_t kFirstMoment = 1'000'000'000'000;
    constexpr std::uint64_t kLastMoment = 5'000'000'000'000;
    const std::uint64_t number = number_at(text, at, kLong);
    return number >= kFirstMoment && number <= kLastMoment;
}

bool is_stat(std::string_view text, std::size_t at) {
    if (at + kStat > text.size()) {
        return false;
    }
    const std::size_t made_at = at + 2 * kLong;
    const std::size_t changed_at = at + 3 * kLong;
    const bool is_root = at + kStat == text.size() && number_at(text, at, kLong) == 0 &&
                         number_at(text, made_at, kLong) == 0 &&
                         number_at(text, at + kOwner, kLong) == 0 &&
                         (number_at(text, changed_at, kLong) == 0 || is_moment(text, changed_at));
    return is_root || (is_moment(text, made_at) && is_moment(text, changed_at));
}

std::string without_numbers(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (is_stat(text, at)) {
            const std::size_t versions = at + 4 * kLong;
            const bool is_ephemeral = number_at(text, at + kOwner, kLong) != 0;
            out += fmt::format("{{version {}, {} children{}}}", int_at(text, versions),
                               int_at(text, at + kOwner + kLong + kInt),
                               is_ephemeral ? ", ephemeral" : "");
            at += kStat;
        } else {
            out += text[at++];
        }
    }
    return out;
}

// Lengths before strings are what is not to be read.
std::string readable(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        if (letter > ' ' && letter <= '~') {
            out += letter;
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    while (!out.empty() && out.back() == ' ') {
        out.pop_back();
    }
    return out;
}

std::size_t bytes_of(const std::vector<std::string>& names) {
    std::size_t bytes = kInt;
    for (const std::string& name : names) {
        bytes += kInt + name.size();
    }
    return bytes;
}

std::string request_text(std::string_view message) {
    const std::int32_t operation = int_at(message, 2 * kInt);
    const std::string name = name_in(kOperations, operation, "operation");
    const std::string_view path = string_at(message, kHeaderOfRequest);
    if (path.empty() || kHeaderOfRequest + kInt + path.size() > message.size()) {
        return name;
    }
    std::string flags;
    if (name == "create") {
        const std::int32_t kinds = int_at(message, message.size() - kInt);
        flags = fmt::format("{}{}", kinds & 1 ? ", ephemeral" : "", kinds & 2 ? ", numbered" : "");
    }
    return fmt::format("{} {}{}", name, readable(std::string(path)), flags);
}

std::string answer_text(std::string_view message) {
    if (is_zookeeper_event(message)) {
        return fmt::format("event: {} {}",
                           name_in(kEvents, int_at(message, kHeaderOfReply), "state"),
                           readable(std::string(string_at(message, kHeaderOfReply + 2 * kInt))));
    }
    if (const std::int32_t error = int_at(message, kHeaderOfReply - kInt); error != 0) {
        return name_in(kErrors, error, "error");
    }
    if (message.size() <= kHeaderOfReply) {
        return "done";
    }
    const std::string_view body = message.substr(kHeaderOfReply);
    if (string_at(body, 0).size() + kInt == body.size()) {
        return readable(std::string(string_at(body, 0)));  // of a node
    }
    if (const auto names = zookeeper_names(message); names && bytes_of(*names) == body.size()) {
        return readable(fmt::format("[{}]", fmt::join(*names, ", ")));
    }
    return readable(without_numbers(body));
}

}  // namespace

std::optional<ZookeeperSession> zookeeper_session(std::string_view answer) {
    if (answer.size() < kFirstAnswer || int_at(answer, kInt) != 0) {  // its version
        return std::nullopt;
    }
    ZookeeperSession session;
    session.timeout_milliseconds = int_at(answer, 2 * kInt);
    session.id = number_at(answer, 3 * kInt, kLong);
    session.password = std::string(string_at(answer, 3 * kInt + kLong)).substr(0, kPasswordMax);
    return session;
}

bool is_zookeeper_event(std::string_view message) {
    return message.size() >= kHeaderOfReply && int_at(message, kInt) == kEvent;
}

std::string zookeeper_text(MessageKind kind, std::string_view message) {
    switch (kind) {
        case MessageKind::kFirstRequest:
            return fmt::format("asks for a session of {:g} s",
                               int_at(message, 2 * kInt + kLong) / 1e3);
        case MessageKind::kFirstReply: {
            const auto session = zookeeper_session(message);
            return fmt::format("has a session of {:g} s",
                               session ? session->timeout_milliseconds / 1e3 : 0);
        }
        case MessageKind::kRequest: return request_text(message);
        case MessageKind::kReply: break;
    }
    return answer_text(message);
}

std::string steady_zookeeper(MessageKind kind, std::string_view message) {
    if (kind == MessageKind::kFirstRequest || kind == MessageKind::kFirstReply) {
        return zookeeper_text(kind, message);
    }
    if (kind == MessageKind::kRequest) {
        const std::int32_t operation = int_at(message, 2 * kInt);
        const bool names_transaction =
            std::find(std::begin(kWatchOperations), std::end(kWatchOperations), operation) !=
            std::end(kWatchOperations);
        if (!names_transaction || message.size() < kHeaderOfRequest + kLong) {
            return std::string(message);
        }
        return std::string(message.substr(0, kHeaderOfRequest)) +
               std::string(message.substr(kHeaderOfRequest + kLong));
    }
    if (message.size() < kHeaderOfReply) {
        return std::string(message);
    }
    return std::string(message.substr(0, 2 * kInt)) +
           std::string(message.substr(kHeaderOfReply - kInt, kInt)) +
           without_numbers(message.substr(kHeaderOfReply));
}

std::string zookeeper_connect(const ZookeeperSession& session) {
    std::string out;
    add_number(out, 0, kInt);
    add_number(out, 0, kLong);
    add_number(out, static_cast<std::uint32_t>(session.timeout_milliseconds), kInt);
    add_number(out, session.id, kLong);
    std::string password = session.password;
    password.resize(kPasswordBytes);
    return with_length(out + with_length(password) + '\0');
}

std::string zookeeper_children(const std::string& path) {
    return with_length(request(kChildrenOperation, path) + '\0');
}

std::string zookeeper_delete(const std::string& path) {
    std::string out = request(kDeleteOperation, path);
    add_number(out, 0xFFFF'FFFFU, kInt);  // whatever its version
    return with_length(out);
}

std::string zookeeper_close() { return with_length(request(kCloseOperation, "")); }

std::optional<std::int32_t> zookeeper_error(std::string_view answer) {
    return answer.size() < kHeaderOfReply ? std::nullopt
                                          : std::optional(int_at(answer, kHeaderOfReply - kInt));
}

std::optional<std::vector<std::string>> zookeeper_names(std::string_view answer) {
    if (answer.size() < kHeaderOfReply + kInt || zookeeper_error(answer) != 0) {
        return std::nullopt;
    }
    const std::uint64_t count = number_at(answer, kHeaderOfReply, kInt);
    std::vector<std::string> names;
    std::size_t at = kHeaderOfReply + kInt;
    for (; names.size() < std::min<std::uint64_t>(count, kNodeNamesMax) && at < answer.size();
         at += kInt + names.back().size()) {
        names.emplace_back(string_at(answer, at));
    }
    return names.size() == count ? std::optional(std::move(names)) : std::nullopt;
}

}  // namespace lockkeeper::wire
