// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/framing.hpp"

#include <gtest/gtest.h>

#include "validate/wire/lease_words.hpp"

namespace lockkeeper::wire {
namespace {

constexpr const char* kPost = "POST /v3/kv/range HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
constexpr const char* kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n";

TEST(Framing, FindsTheEndOfAMessageAtEveryCut) {
    const std::string prefixed = framed(Framing::kLength, "acquire");
    EXPECT_EQ(11U, prefixed.size());
    const struct {
        Framing framing;
        std::string message;
    } rows[] = {{Framing::kNewline, "acquire db\n"},
                {Framing::kLength, prefixed},
                {Framing::kHttp, kPost},
                {Framing::kHttp, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}};
    for (const auto& row : rows) {
        for (std::size_t cut = 0; cut < row.message.size(); ++cut) {
            EXPECT_FALSE(framed_request_length(row.framing, row.message.substr(0, cut))) << cut;
        }
        EXPECT_EQ(row.message.size(), framed_request_length(row.framing, row.message + "more"));
    }
}

TEST(Framing, RepliesOfHttpEndByLengthChunksMethodOrConnection) {
    const auto length = [](const std::string& text, const char* request = "POST / ",
                           bool is_closed = false) {
        const auto reply = framed_reply(Framing::kHttp, text, request, is_closed);
        return reply ? std::optional(reply->bytes) : std::nullopt;
    };
    const std::string chunked = kChunked;
    for (std::size_t cut = 0; cut < chunked.size(); ++cut) {
        EXPECT_FALSE(length(chunked.substr(0, cut))) << cut;
    }
    EXPECT_EQ(chunked.size(), length(chunked + "HTTP"));
    EXPECT_EQ("200 OK hello!", shown_framed(Framing::kHttp, chunked));
    const std::string to_head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    EXPECT_EQ(to_head.size(), length(to_head, "HEAD /"));
    EXPECT_FALSE(length(to_head));
    const std::string to_the_end = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc";
    EXPECT_FALSE(length(to_the_end));
    EXPECT_EQ(to_the_end.size(), length(to_the_end, "GET /", true));
    const std::string interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
    EXPECT_EQ(interim.size(), length(interim));
    EXPECT_EQ("POST /v3/kv/range {}", shown_framed(Framing::kHttp, kPost));
}

TEST(Framing, WhatIsNoMessageIsRefused) {
    const auto refused = [](Framing framing, const std::string& text, bool is_reply = false) {
        try {
            if (is_reply) {
                static_cast<void>(framed_reply(framing, text, "GET / ", false));
            } else {
                static_cast<void>(framed_request_length(framing, text));
            }
        } catch (const BadBytes&) {
            return true;
        }
        return false;
    };
    EXPECT_TRUE(refused(Framing::kLength, "\xff\xff\xff\xff"));
    EXPECT_TRUE(refused(Framing::kNewline, std::string(kFramedMessageMax + 1, 'x')));
    EXPECT_TRUE(refused(Framing::kHttp, "hello\r\n"));
    EXPECT_TRUE(refused(Framing::kHttp, "GET / HTTP/1.1\r\n" + std::string(kHttpHeadMax, 'x')));
    EXPECT_TRUE(refused(Framing::kHttp, "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"));
    EXPECT_TRUE(refused(Framing::kHttp, "GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"));
    EXPECT_TRUE(
        refused(Framing::kHttp,
                "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
    EXPECT_TRUE(refused(Framing::kHttp, "SSH-2.0", true));
    EXPECT_TRUE(refused(Framing::kHttp,
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", true));
    EXPECT_TRUE(refused(Framing::kHttp, "HTTP/1.1 101 Switching\r\n\r\n", true));
}

TEST(LeaseWords, LeasesAreLearnedFromRepliesAndEndLate) {
    OutsideServer server;
    server.granted = "\"ID\":\"{lease}\",\"TTL\":\"{seconds}\"";
    server.changing = "\"revision\":\"{}\"";
    LeaseWords words(server);
    words.take_reply(R"({"ID":"1234567","TTL":"10"})", 0);
    words.take_reply(R"({"ID":"1234567","TTL":"3"} {"ID":"none"} {"ID":"7","TTL":"0"})", 0);
    ASSERT_EQ(1U, words.leases().size());
    EXPECT_EQ(10'000'000'000, words.leases().front().ends_at);
    EXPECT_EQ(R"({"revision":"{}","lease":"{lease 1}"})",
              words.steady(R"({"revision":"42","lease":"1234567"})"));
    server.changing = "no hole";
    EXPECT_THROW(LeaseWords{server}, std::invalid_argument);
}

}  // namespace
}  // namespace lockkeeper::wire
