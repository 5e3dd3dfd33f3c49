// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/postgresql_protocol.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

std::string number(std::uint32_t value) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) {
        out += static_cast<char>(value >> shift & 0xFFU);
    }
    return out;
}

std::string message(char type, const std::string& body) {
    return type + number(static_cast<std::uint32_t>(body.size() + 4)) + body;
}

const std::string kNul(1, '\0');

TEST(PostgresqlProtocol, ARequestIsReadOnceItsEndHasCome) {
    const std::string query = message('Q', "SELECT 1" + kNul);
    for (std::size_t size = 0; size < query.size(); ++size) {
        EXPECT_FALSE(read_postgresql_request(query.substr(0, size), true)) << size;
    }
    const auto request = read_postgresql_request(query + query, true);
    ASSERT_TRUE(request);
    EXPECT_EQ(query.size(), request->bytes);
    EXPECT_EQ("SELECT 1", request->text);
}

TEST(PostgresqlProtocol, AnExtendedQueryEndsAtItsSync) {
    const std::string parse = message('P', kNul + "SELECT $1" + kNul + number(0).substr(2));
    const std::string rest = message('B', "x") + message('E', "y");
    EXPECT_FALSE(read_postgresql_request(parse + rest, true));
    const auto request = read_postgresql_request(parse + rest + message('S', ""), true);
    ASSERT_TRUE(request);
    EXPECT_EQ("SELECT $1", request->text);
}

TEST(PostgresqlProtocol, AConnectionBegins) {
    using Kind = PostgresqlRequest::Kind;
    EXPECT_EQ(Kind::kEncryption,
              read_postgresql_request(number(8) + number(80'877'103), false)->kind);
    EXPECT_EQ(Kind::kStartup,
              read_postgresql_request(number(9) + number(196'608) + kNul, false)->kind);
    EXPECT_EQ(Kind::kEnd, read_postgresql_request(message('X', ""), true)->kind);
    EXPECT_FALSE(read_postgresql_request(number(9), false));
}

TEST(PostgresqlProtocol, WhatIsNoMessageIsRefused) {
    for (const std::string& text : {"?" + number(4), "Q" + number(3), "Q" + number(0x7FFFFFFF),
                                    std::string("GET / HTTP/1")}) {
        EXPECT_THROW(static_cast<void>(read_postgresql_request(text, true)), BadBytes);
    }
    EXPECT_THROW(static_cast<void>(read_postgresql_request("GET / HTTP/1.1", false)), BadBytes);
    EXPECT_THROW(static_cast<void>(read_postgresql_request(number(8) + number(7), false)),
                 BadBytes);
    EXPECT_THROW(static_cast<void>(postgresql_message_length("Z" + number(2))), BadBytes);
}

TEST(PostgresqlProtocol, AnAnswerIsShownForPeople) {
    const std::string row =
        message('D', number(2).substr(2) + number(1) + "t" + number(UINT32_MAX));
    EXPECT_EQ("SELECT 1: t, null",
              shown_postgresql_answer(row + message('C', "SELECT 1" + kNul) + message('Z', "I")));
    EXPECT_EQ("(error 55P03 too late)",
              shown_postgresql_answer(message('E', "C55P03" + kNul + "Mtoo late" + kNul + kNul)));
    EXPECT_EQ("ready", shown_postgresql_answer(message('Z', "I")));
    // A row that says that it is longer than it is.
    EXPECT_EQ("SELECT 1: ", shown_postgresql_answer(message('D', number(1).substr(2) + number(99)) +
                                                    message('C', "SELECT 1" + kNul)));
    EXPECT_EQ(77U, postgresql_session(message('K', number(77) + number(1))));
}

TEST(PostgresqlProtocol, TheNumbersOfProcessesInErrorsAreNotCompared) {
    const auto answer = [](char type, const std::string& detail) {
        return message(type, "C40P01" + kNul + "D" + detail + kNul + kNul) + message('Z', "I");
    };
    const auto compared = [](const std::string& text) {
        return comparable_postgresql_answer(text);
    };
    const std::string first = answer('E', "Process 99 waits for a lock; blocked by process 7.");
    EXPECT_EQ(compared(first),
              compared(answer('E', "Process 100 waits for a lock; blocked by process 12.")));
    EXPECT_NE(compared(first),
              compared(answer('E', "Process 99 waits for a row; blocked by process 7.")));
    EXPECT_NE(compared(answer('D', "process 1")), compared(answer('D', "process 2")));
    EXPECT_EQ("Eprocess ", compared(message('E', "process 12")));
}

TEST(PostgresqlProtocol, OnlyWhatIsOfTheSessionCommutes) {
    EXPECT_FALSE(postgresql_footprint("BEGIN").everything);
    EXPECT_FALSE(postgresql_footprint("set lock_timeout = 5").everything);
    EXPECT_TRUE(postgresql_footprint("BEGIN; DELETE FROM x").everything);
    EXPECT_TRUE(postgresql_footprint("SELECT 1").everything);
}

}  // namespace
}  // namespace lockkeeper::wire
