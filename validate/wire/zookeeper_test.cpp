// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/zookeeper.hpp"

#include <gtest/gtest.h>

#include "validate/wire/framing.hpp"
#include "validate/wire/nats.hpp"

namespace lockkeeper::wire {
namespace {

std::string number(std::uint64_t value, unsigned bytes) {
    std::string out;
    for (unsigned i = bytes; i > 0; --i) {
        out += static_cast<char>(value >> (8U * (i - 1)) & 0xFFU);
    }
    return out;
}

std::string answer(std::int32_t request, std::uint64_t transaction, std::int32_t error,
                   const std::string& body) {
    const std::string all = number(static_cast<std::uint32_t>(request), 4) +
                            number(transaction, 8) + number(static_cast<std::uint32_t>(error), 4) +
                            body;
    return number(all.size(), 4) + all;
}

std::string text(const std::string& name) { return number(name.size(), 4) + name; }

// ZooKeeper 3.8.0 begins a session of four seconds so.
std::string beginning(std::uint64_t id, std::uint32_t milliseconds) {
    const std::string all = number(0, 4) + number(milliseconds, 4) + number(id, 8) +
                            text(std::string(16, 'p')) + std::string(1, '\0');
    return number(all.size(), 4) + all;
}

std::string node(std::uint64_t transaction, std::uint64_t moment, std::uint32_t version) {
    return number(transaction, 8) + number(transaction + 1, 8) + number(moment, 8) +
           number(moment, 8) + number(version, 4) + number(7, 4) + number(0, 4) + number(0, 8) +
           number(0, 4) + number(2, 4) + number(transaction, 8);
}

TEST(Zookeeper, ASessionIsWhatTheFirstAnswerSays) {
    const auto session = zookeeper_session(beginning(0x1234, 4'000));
    ASSERT_TRUE(session);
    EXPECT_EQ(0x1234U, session->id);
    EXPECT_EQ(4'000, session->timeout_milliseconds);
    EXPECT_EQ(std::string(16, 'p'), session->password);
    EXPECT_EQ("has a session of 4 s",
              zookeeper_text(MessageKind::kFirstReply, beginning(0x1234, 4'000)));
    EXPECT_EQ("asks for a session of 4 s",
              zookeeper_text(MessageKind::kFirstRequest, zookeeper_connect(*session)));
    EXPECT_FALSE(zookeeper_session(answer(1, 5, 0, text("/db"))));
}

TEST(Zookeeper, PeopleReadPathsAndErrors) {
    EXPECT_EQ("get children /db", zookeeper_text(MessageKind::kRequest, zookeeper_children("/db")));
    EXPECT_EQ("delete /db", zookeeper_text(MessageKind::kRequest, zookeeper_delete("/db")));
    EXPECT_EQ("close", zookeeper_text(MessageKind::kRequest, zookeeper_close()));
    const std::string body =
        number(3, 4) + number(1, 4) + text("/db/a") + text("") + number(0, 4) + number(3, 4);
    EXPECT_EQ("create /db/a, ephemeral, numbered",
              zookeeper_text(MessageKind::kRequest, number(body.size(), 4) + body));
    EXPECT_EQ("/db/a0000000000",
              zookeeper_text(MessageKind::kReply, answer(3, 9, 0, text("/db/a0000000000"))));
    EXPECT_EQ("no node", zookeeper_text(MessageKind::kReply, answer(3, 9, -101, "")));
    EXPECT_EQ("error -99", zookeeper_text(MessageKind::kReply, answer(3, 9, -99, "")));
    EXPECT_EQ("done", zookeeper_text(MessageKind::kReply, answer(3, 9, 0, "")));
    EXPECT_EQ("[a, b]", zookeeper_text(MessageKind::kReply,
                                       answer(3, 9, 0, number(2, 4) + text("a") + text("b"))));
    EXPECT_EQ("[a b]",
              zookeeper_text(MessageKind::kReply, answer(3, 9, 0, number(1, 4) + text("a\nb"))));
    EXPECT_EQ("{version 1, 2 children}",
              zookeeper_text(MessageKind::kReply, answer(3, 9, 0, node(8, 1'704'067'200'000, 1))));
}

TEST(Zookeeper, AnEventAnswersNothing) {
    const std::string event =
        answer(-1, ~std::uint64_t{0}, 0, number(2, 4) + number(3, 4) + text("/db/a"));
    EXPECT_TRUE(is_zookeeper_event(event));
    EXPECT_EQ("event: deleted /db/a", zookeeper_text(MessageKind::kReply, event));
    EXPECT_FALSE(is_zookeeper_event(answer(-2, 9, 0, "")));  // a ping's answer
}

TEST(Zookeeper, TransactionsMomentsAndTheRootsChangesAreLeftOut) {
    const auto same = [](const std::string& one, const std::string& other,
                         MessageKind kind = MessageKind::kReply) {
        return steady_zookeeper(kind, one) == steady_zookeeper(kind, other);
    };
    const std::uint64_t moment = 1'704'067'200'000;
    EXPECT_TRUE(
        same(answer(3, 9, 0, node(8, moment, 1)), answer(3, 77, 0, node(70, moment + 5, 1))));
    EXPECT_FALSE(same(answer(3, 9, 0, node(8, moment, 1)), answer(3, 9, 0, node(8, moment, 2))));
    EXPECT_FALSE(same(answer(3, 9, 0, ""), answer(3, 9, -101, "")));
    EXPECT_FALSE(same(answer(3, 9, 0, text("/a")), answer(3, 9, 0, text("/b"))));
    EXPECT_TRUE(same(beginning(1, 4'000), beginning(2, 4'000), MessageKind::kFirstReply));
    const std::string root(32, '\0');
    const auto changed = [&](std::uint32_t times) {
        return answer(3, 9, 0,
                      root + number(0, 4) + number(times, 4) + number(0, 4) + number(0, 8) +
                          number(0, 4) + number(1, 4) + number(times, 8));
    };
    EXPECT_TRUE(same(changed(3), changed(4)));
    // Data of zeros is no root.
    const auto data = [&](char last) {
        return answer(3, 9, 0, text(std::string(80, '\0') + last) + node(8, moment, 1));
    };
    EXPECT_FALSE(same(data('a'), data('b')));
    const auto numbers = [&](std::uint64_t value) {
        return answer(3, 9, 0,
                      text(std::string(40, '\0') + number(value, 8) + std::string(40, '\0')) +
                          node(8, moment, 1));
    };
    EXPECT_FALSE(same(numbers(1), numbers(2)));
    const auto watches = [](std::uint64_t transaction, const char* path) {
        const std::string body =
            number(0xFFFF'FFF8U, 4) + number(101, 4) + number(transaction, 8) + text(path);
        return number(body.size(), 4) + body;
    };
    EXPECT_TRUE(same(watches(3, "/a"), watches(4, "/a"), MessageKind::kRequest));
    EXPECT_FALSE(same(watches(3, "/a"), watches(3, "/b"), MessageKind::kRequest));
}

// node-zookeeper-client does so.
TEST(Zookeeper, RequestsMayBeNumberedFromZero) {
    const std::string path = "/" + std::string(40, 'l');
    const std::string body =
        number(0, 4) + number(1, 4) + text(path) + text("") + number(0, 4) + number(1, 4);
    const std::string create = number(body.size(), 4) + body;
    EXPECT_EQ("create " + path + ", ephemeral", zookeeper_text(MessageKind::kRequest, create));
    EXPECT_EQ(create, steady_zookeeper(MessageKind::kRequest, create));
    const std::string created = answer(0, 9, 0, text(path));
    const std::string exists = answer(0, 9, -110, "");
    EXPECT_EQ(path, zookeeper_text(MessageKind::kReply, created));
    EXPECT_EQ("node exists", zookeeper_text(MessageKind::kReply, exists));
    EXPECT_NE(steady_zookeeper(MessageKind::kReply, answer(0, 9, 0, "")),
              steady_zookeeper(MessageKind::kReply, exists));
}

TEST(Zookeeper, NamesAreReadWhole) {
    const std::string two = answer(1, 9, 0, number(2, 4) + text("a") + text("b"));
    EXPECT_EQ((std::vector<std::string>{"a", "b"}), zookeeper_names(two));
    EXPECT_FALSE(zookeeper_names(answer(1, 9, -101, "")));
    EXPECT_FALSE(zookeeper_names(answer(1, 9, 0, number(0xFFFF'FFFFU, 4) + text("a"))));
}

TEST(Nats, FindsTheEndOfAMessageAtEveryCut) {
    for (const std::string message :
         {"PING\r\n", "PUB a 5\r\nhello\r\n", "pub a b 0\r\n\r\n", "PUB a 5 \r\nhello\r\n",
          "PUB\ta  5\t \r\nhello\r\n", "HMSG a 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n"}) {
        for (std::size_t cut = 0; cut < message.size(); ++cut) {
            EXPECT_FALSE(nats_length(message.substr(0, cut))) << message << cut;
        }
        EXPECT_EQ(message.size(), nats_length(message + "PING\r\n")) << message;
    }
    EXPECT_THROW(static_cast<void>(nats_length("PUB a -1\r\n")), BadBytes);
    EXPECT_THROW(static_cast<void>(nats_length("PUB a 99999999999999999999\r\n")), BadBytes);
    EXPECT_THROW(static_cast<void>(nats_length("MSG a b\r\n")), BadBytes);
    EXPECT_THROW(static_cast<void>(nats_length("PUB  \r\n")), BadBytes);
    EXPECT_THROW(static_cast<void>(nats_length(std::string(70'000, 'x'))), BadBytes);
}

TEST(Nats, WhatOthersSeeIsAChoice) {
    std::vector<std::string> inboxes;
    const auto request = [&](const char* message) { return nats_request(message, inboxes); };
    EXPECT_TRUE(request("SUB _INBOX.a.* 1\r\n").is_set_up);
    EXPECT_TRUE(request("UNSUB 1\r\n").is_set_up);
    EXPECT_FALSE(request("SUB _INBOX.a workers 7\r\n").is_set_up);
    EXPECT_FALSE(request("UNSUB 7\r\n").is_set_up);  // then others get its messages
    EXPECT_FALSE(request("UNSUB\r\n").is_set_up);
    EXPECT_FALSE(request("SUB freed 1\r\n").is_set_up);
    EXPECT_FALSE(request("SUB freed _INBOX. 1\r\n").is_set_up);
    EXPECT_FALSE(request("PUB a 0\r\n\r\n").is_set_up);
    EXPECT_EQ(1U, request("PING\r\n").replies);
    EXPECT_EQ(0U, request("PUB a 0\r\n\r\n").replies);
    EXPECT_TRUE(is_nats_push("MSG a 1 0\r\n\r\n"));
    EXPECT_FALSE(is_nats_push("PONG\r\n"));
    EXPECT_FALSE(is_nats_push("INFO {}\r\n"));
}

}  // namespace
}  // namespace lockkeeper::wire
