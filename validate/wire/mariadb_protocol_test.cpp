// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/mariadb_protocol.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

using namespace std::string_literals;

std::string packet(unsigned char sequence, const std::string& payload) {
    const std::size_t size = payload.size();
    return std::string{static_cast<char>(size & 0xFFU), static_cast<char>(size >> 8U & 0xFFU),
                       static_cast<char>(size >> 16U & 0xFFU), static_cast<char>(sequence)} +
           payload;
}

std::string eof(char status) { return packet(9, "\xFE\0\0"s + status + "\0"s); }

// How many of these packets the answer has; 0: it has not ended.
std::size_t packets_of(MariadbAnswer answer, const std::vector<std::string>& packets) {
    MariadbAnswerEnd end;
    end.begin(answer);
    for (std::size_t i = 0; i < packets.size(); ++i) {
        if (end.take(packets[i])) {
            return i + 1;
        }
    }
    return 0;
}

const std::string kColumn = packet(2, "\3def, whatever it is");
const std::string kRow = packet(4,
                                "\1"
                                "1");
const std::string kOkPacket = packet(1, "\0\1\0\2\0\0\0"s);
const std::string kErrorPacket = packet(1, "\xFF\xBD\4#40001Deadlock found"s);

TEST(MariadbProtocol, APacketIsReadOnceItsEndHasCome) {
    const std::string query = packet(0, "\3SELECT 1");
    for (std::size_t size = 0; size < query.size(); ++size) {
        EXPECT_FALSE(mariadb_packet_length(query.substr(0, size))) << size;
    }
    EXPECT_EQ(query.size(), mariadb_packet_length(query + query));
    EXPECT_THROW(static_cast<void>(mariadb_packet_length("\xFF\xFF\xFF\0"s)), BadBytes);
}

TEST(MariadbProtocol, ARequestSaysWhatAnswerItGets) {
    const auto read = [](const std::string& payload) {
        return read_mariadb_request(packet(0, payload), true);
    };
    EXPECT_EQ("SELECT GET_LOCK('db', 0)", read("\3SELECT GET_LOCK('db', 0)").text);
    EXPECT_EQ(MariadbAnswer::kResults, read("\3SELECT 1").answer);
    EXPECT_EQ(MariadbAnswer::kPrepared, read("\x16SELECT ?").answer);
    EXPECT_EQ("prepare: SELECT ?", read("\x16SELECT ?").text);
    EXPECT_EQ(MariadbAnswer::kNothing, read("\x19\1\0\0\0"s).answer);
    EXPECT_TRUE(read("\x0E").is_set_up);
    EXPECT_TRUE(read("\1").is_end);
    EXPECT_THROW(static_cast<void>(read("\x7F")), BadBytes);
    EXPECT_THROW(static_cast<void>(read("")), BadBytes);
}

TEST(MariadbProtocol, AnAuthenticationMayTakeSeveralPackets) {
    EXPECT_EQ(MariadbAnswer::kAuthentication, read_mariadb_request(packet(1, "x"), false).answer);
    EXPECT_EQ(MariadbAnswer::kAuthentication, read_mariadb_request(packet(3, "\3"), true).answer);
}

TEST(MariadbProtocol, AnAnswerEndsWithItsLastPacket) {
    const std::vector<std::string> rows{packet(1, "\1"), kColumn, eof(2), kRow, kRow, eof(2)};
    EXPECT_EQ(6U, packets_of(MariadbAnswer::kResults, rows));
    EXPECT_EQ(1U, packets_of(MariadbAnswer::kResults, {kOkPacket}));
    EXPECT_EQ(1U, packets_of(MariadbAnswer::kResults, {kErrorPacket}));
    EXPECT_EQ(4U, packets_of(MariadbAnswer::kResults, {rows[0], kColumn, eof(2), kErrorPacket}));
    EXPECT_EQ(1U, packets_of(MariadbAnswer::kAuthentication, {packet(2, "\xFEmysql")}));
    // A row may begin with the byte that begins an end, and is longer.
    EXPECT_EQ(0U, packets_of(MariadbAnswer::kResults,
                             {rows[0], kColumn, eof(2), packet(4, "\xFE" + std::string(9, 'x'))}));
}

TEST(MariadbProtocol, MoreResultsAndCursorsAreTold) {
    const std::string more = packet(1, "\0\1\0\x0A\0\0\0"s);
    EXPECT_EQ(2U, packets_of(MariadbAnswer::kResults, {more, kOkPacket}));
    EXPECT_EQ(6U, packets_of(MariadbAnswer::kResults,
                             {packet(1, "\1"), kColumn, eof(2), kRow, eof(0x0A), kOkPacket}));
    EXPECT_EQ(3U, packets_of(MariadbAnswer::kResults, {packet(1, "\1"), kColumn, eof(0x42)}));
    EXPECT_EQ(2U, packets_of(MariadbAnswer::kRows, {kRow, eof(2)}));
}

TEST(MariadbProtocol, APreparedStatementIsToldWithItsParametersAndColumns) {
    const auto prepared = [](char columns, char parameters) {
        return packet(1, "\0\1\0\0\0"s + columns + "\0"s + parameters + "\0\0\0\0"s);
    };
    EXPECT_EQ(1U, packets_of(MariadbAnswer::kPrepared, {prepared(0, 0)}));
    EXPECT_EQ(5U, packets_of(MariadbAnswer::kPrepared,
                             {prepared(1, 1), kColumn, eof(2), kColumn, eof(2)}));
    EXPECT_EQ(1U, packets_of(MariadbAnswer::kPrepared, {kErrorPacket}));
}

TEST(MariadbProtocol, PacketsThatEndTooEarlyAreRefused) {
    for (const std::string& bytes : {packet(1, ""), packet(1, "\0"s), packet(1, "\xFC\1")}) {
        EXPECT_THROW(static_cast<void>(packets_of(MariadbAnswer::kResults, {bytes})), BadBytes);
    }
    EXPECT_THROW(static_cast<void>(plain_mariadb_greeting(packet(0,
                                                                 "\x0A"
                                                                 "10.11\0xxxx"s))),
                 BadBytes);
}

TEST(MariadbProtocol, AGreetingOffersNothingThatIsNotRead) {
    const std::string before =
        "\x0A"
        "10.11\0\7\0\0\0salt8888\0"s;
    const std::string greeting = packet(
        0, before + "\xFF\xFF\x2D\2\0\xFF\xFF\x15"s + std::string(6, '\0') + "\x1F\0\0\0salt\0"s);
    const std::string plain = plain_mariadb_greeting(greeting);
    EXPECT_EQ(7U, mariadb_session(plain));
    const std::size_t low = kMariadbHeader + before.size();
    EXPECT_EQ('\xDF', plain[low]);      // no compression
    EXPECT_EQ('\xF7', plain[low + 1]);  // no encryption
    EXPECT_EQ('\xFA', plain[low + 6]);  // ends of parts
    EXPECT_EQ('\0', plain[low + 14]);   // nothing of MariaDB's own
    EXPECT_EQ(greeting.size(), plain.size());
}

TEST(MariadbProtocol, AnAnswerIsShown) {
    EXPECT_EQ("OK: 1 rows", shown_mariadb_answer(kOkPacket));
    EXPECT_EQ("(error 1213 Deadlock found)", shown_mariadb_answer(kErrorPacket));
    EXPECT_EQ("1", shown_mariadb_answer(packet(1, "\1") + kColumn + eof(2) + kRow + eof(2)));
    EXPECT_EQ("null", shown_mariadb_answer(packet(1, "\1") + kColumn + eof(2) + packet(4, "\xFB") +
                                           eof(2)));
    EXPECT_EQ("no rows", shown_mariadb_answer(packet(1, "\1") + kColumn + eof(2) + eof(2)));
}

TEST(MariadbProtocol, WhatOnlySetsUpASessionCommutes) {
    const auto commutes = [](const std::string& statement) {
        return !mariadb_footprint(read_mariadb_request(packet(0, "\3" + statement), true))
                    .everything;
    };
    EXPECT_TRUE(commutes("BEGIN"));
    EXPECT_TRUE(commutes("SET NAMES utf8mb4"));
    EXPECT_TRUE(commutes("SET AUTOCOMMIT = 0"));
    for (const char* statement :
         {"START TRANSACTION WITH CONSISTENT SNAPSHOT", "SET GLOBAL wait_timeout = 1",
          "SET autocommit = 1", "SET @a = GET_LOCK('db', 0)", "SELECT 1", "BEGIN; SELECT 1"}) {
        EXPECT_FALSE(commutes(statement)) << statement;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
