// SPDX-License-Identifier: Apache-2.0

// The server through a real socket of the loopback.
#include <set>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "serve/http_served_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

TEST_F(Served, ThePageComesAtItsAddressAndAtThatOfEachFile) {
    const std::string prefix = "http://127.0.0.1:" + std::to_string(port_);
    EXPECT_EQ(prefix + at(""), server_.address());
    for (const char* path : {"", "0", "12"}) {
        const Returned page = got(at(path));
        EXPECT_EQ(200, page.status);
        EXPECT_EQ(kPage, page.body);
        EXPECT_NE(std::string::npos,
                  page.field("Content-Security-Policy").find("frame-ancestors 'none'"));
        EXPECT_EQ("no-referrer", page.field("Referrer-Policy"));
        EXPECT_EQ("no-store", page.field("Cache-Control"));
    }
}

TEST_F(Served, RequestsAreAnsweredAsJson) {
    const Returned files = answer_to_post(at("api/files"), "{}");
    ASSERT_EQ(200, files.status);
    EXPECT_EQ("test.json", Json::parse(files.body)["files"][0]["name"]);
    EXPECT_EQ("nosniff", files.field("X-Content-Type-Options"));
    const Headers own{{"Origin", "http://127.0.0.1:" + std::to_string(port_)},
                      {"Sec-Fetch-Site", "same-origin"}};
    EXPECT_EQ(200, posted(own, at("api/files")));
    const std::string localhost = "localhost:" + std::to_string(port_);
    EXPECT_EQ(200,
              posted({{"Host", localhost}, {"Origin", "http://" + localhost}}, at("api/files")));
}

TEST_F(Served, NothingIsAnsweredWithoutTheToken) {
    std::string other = token_;
    other[7] = other[7] == '0' ? '1' : '0';
    const std::vector<std::string> paths{"/",
                                         "/api/files",
                                         "/" + other + "/",
                                         "/" + token_,
                                         "/" + token_ + "x/",
                                         "/x" + token_ + "/",
                                         "/" + token_.substr(1) + "/",
                                         "//" + token_ + "/",
                                         "/" + other + "/../" + token_ + "/"};
    for (const std::string& path : paths) {
        const Returned page = got(path);
        EXPECT_EQ(403, page.status) << path;
        EXPECT_EQ(std::string::npos, page.body.find("the page")) << path;
    }
    EXPECT_EQ(403, posted({}, "/" + other + "/api/files"));
}

TEST_F(Served, AnotherHostIsRefusedWithTheTokenToo) {
    const std::string port = std::to_string(port_);
    const std::vector<std::string> hosts{
        "evil.example:" + port,          "127.0.0.1",     "127.0.0.1:1",
        "127.0.0.1.evil:" + port,        "[::1]:" + port, "localhost",
        "localhost.evil.example:" + port};
    for (const std::string& host : hosts) {
        EXPECT_EQ(403, posted({{"Host", host}}, at("api/files"))) << host;
    }
    EXPECT_NE(0U, raw("POST " + at("api/files") + " HTTP/1.1\r\nHost: 127.0.0.1:" + port +
                      "\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}")
                      .find("HTTP/1.1 200"));
    EXPECT_NE(0U, raw("GET " + at("") + " HTTP/1.1\r\n\r\n").find("HTTP/1.1 200"));
}

TEST_F(Served, AnotherOriginIsRefusedWithTheTokenToo) {
    const std::string port = std::to_string(port_);
    const std::vector<std::string> origins{"http://evil.example", "https://127.0.0.1:" + port,
                                           "null", "http://127.0.0.1:1",
                                           "http://127.0.0.1:" + port + ".evil.example"};
    for (const std::string& origin : origins) {
        EXPECT_EQ(403, posted({{"Origin", origin}}, at("api/files"))) << origin;
    }
    for (const char* site : {"cross-site", "same-site", "none"}) {
        EXPECT_EQ(403, posted({{"Sec-Fetch-Site", site}}, at("api/files"))) << site;
    }
}

TEST_F(Served, OnlyJsonIsARequest) {
    EXPECT_EQ(415, posted({}, at("api/files"), "{}", "text/plain"));
    EXPECT_EQ(415, posted({}, at("api/files"), "a=b", "application/x-www-form-urlencoded"));
    EXPECT_EQ(400, posted({}, at("api/files"), "no json"));
}

TEST_F(Served, UnknownPathsAreNotFound) {
    for (const char* path : {"api/nothing", "api/", "other", "api/files/x", "../../etc/passwd"}) {
        EXPECT_EQ(404, posted({}, at(path))) << path;
    }
    for (const char* path : {"x", "0/..", "99999", "-1", "index.html", "api/files", "0%00"}) {
        EXPECT_EQ(404, got(at(path)).status) << path;
    }
    EXPECT_EQ(404, asked("DELETE", at("api/files")).status);
    EXPECT_EQ(404, asked("OPTIONS", at("api/files")).status);
}

TEST_F(Served, ABodyThatIsTooLargeIsNotTaken) {
    const std::string large(kRequestBytesMax + 1, ' ');
    EXPECT_EQ(413, posted({}, at("api/files"), large));
    EXPECT_NE(0U, raw("POST " + at("api/files") +
                      " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
                      "\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{}")
                      .find("HTTP/1.1 200"));
    EXPECT_EQ(200, posted({}, at("api/files")));  // and it goes on
}

// The bytes come while they are asked for: who stops asking has not kept them.
TEST_F(Served, ABodyInChunksIsTakenAsFarAsItMayBeLarge) {
    const std::string chunk(kRequestBytesMax / 8, ' ');
    const std::string length = fmt::format("{:x}\r\n", chunk.size());
    const auto chunks = [&](std::size_t count) {
        const Plug plug(port_);
        plug.send(head("POST", at("api/files"),
                       {{"Content-Type", kJson}, {"Transfer-Encoding", "chunked"}}));
        plug.send("2\r\n{}\r\n");
        std::size_t sent = 0;
        for (bool goes_on = true; goes_on && sent < count; ++sent) {
            const std::string one = length + chunk + "\r\n";
            goes_on = plug.send(one) == one.size();
        }
        plug.send("0\r\n\r\n");
        return std::pair(understood(plug.received()).status, sent);
    };
    EXPECT_EQ(200, chunks(4).first);
    EXPECT_EQ(413, chunks(9).first);
    const auto start = Clock::now();
    EXPECT_NE(200, chunks(100'000).first);
    EXPECT_LT(Clock::now() - start, milliseconds(5'000));
}

// 4 MB of gzip can be 4 GB of text.
TEST_F(Served, ABodyThatIsCompressedIsRefusedWithoutBeingRead) {
    for (const char* form : {"gzip", "deflate", "br", "identity, gzip"}) {
        EXPECT_EQ(415, posted({{"Content-Encoding", form}}, at("api/files"))) << form;
    }
    const Headers packed_in_chunks{{"Content-Type", kJson}, {"Transfer-Encoding", "gzip, chunked"}};
    EXPECT_EQ(415, understood(raw(head("POST", at("api/files"), packed_in_chunks) +
                                  "2\r\n{}\r\n0\r\n\r\n"))
                       .status);
}

TEST_F(Served, AHeadThatIsTooLargeIsNotTaken) {
    const Headers large{{"X-Large", std::string(kHeadBytesMax, 'a')}};
    EXPECT_EQ(431, posted(large, at("api/files")));
    Headers many;
    for (std::size_t i = 0; i < kHeadBytesMax / 8; ++i) {
        many.emplace_back("X-Many", "a");
    }
    EXPECT_EQ(431, posted(many, at("api/files")));
}

TEST_F(Served, WhatIsNoHttpIsRefusedAndTheNextIsAnswered) {
    const std::vector<std::string> texts{"nonsense\r\n\r\n", std::string(100'000, 'a'),
                                         "GET / HTTP/9.9\r\n\r\n", std::string(3, '\0')};
    for (const std::string& text : texts) {
        EXPECT_EQ(std::string::npos, raw(text).find(" 200 "));
    }
    EXPECT_EQ(200, posted({}, at("api/files")));
}

TEST_F(Served, AScheduleThatDoesNotFitIsAnsweredWithWhatIsPossible) {
    const Returned answer =
        answer_to_post(at("api/choices"), R"({"file": 0, "schedule": "lk1:1:s0,s9"})");
    ASSERT_EQ(409, answer.status);
    EXPECT_EQ("step 2: action s9 is not possible; possible: s0 s1",
              Json::parse(answer.body)["error"]["message"]);
}

TEST_F(Served, APortThatIsTakenIsRefused) {
    HttpServer other(answers_);
    EXPECT_THROW(other.bind(port_), UsageError);
}

TEST(Tokens, AreRandomHexadecimalDigits) {
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i) {
        const std::string token = random_token();
        EXPECT_EQ(32U, token.size());
        EXPECT_EQ(std::string::npos, token.find_first_not_of("0123456789abcdef"));
        tokens.insert(token);
    }
    EXPECT_EQ(100U, tokens.size());
}

}  // namespace
}  // namespace lockkeeper
