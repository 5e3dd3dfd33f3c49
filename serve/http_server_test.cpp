// SPDX-License-Identifier: Apache-2.0

// The server through a real socket of the loopback.
#include "serve/http_server.hpp"

#include <arpa/inet.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "scenarios/bad_input.hpp"
#include "serve/serve_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

constexpr const char* kPage = "<!doctype html><title>the page</title>";
constexpr const char* kJson = "application/json";

class Served : public WithFiles {
  protected:
    void SetUp() override {
        files_.open_text("test.json", pair_text());
        port_ = server_.bind(0);
        listening_ = std::thread([this] { server_.listen([this] { return is_over_.load(); }); });
    }
    void TearDown() override {
        is_over_ = true;
        listening_.join();
    }

    [[nodiscard]] httplib::Client client() const { return httplib::Client(kLoopback, port_); }
    [[nodiscard]] std::string at(const std::string& path) const {
        return "/" + token_ + "/" + path;
    }
    // Status and body.
    static std::pair<int, std::string> answer_of(const httplib::Result& result) {
        return result ? std::pair(result->status, result->body) : std::pair(-1, std::string());
    }
    [[nodiscard]] int posted(const httplib::Headers& headers, const std::string& path,
                             const std::string& body = "{}", const char* type = kJson) const {
        return answer_of(client().Post(path, headers, body, type)).first;
    }
    // Sends these bytes and returns the answer.
    [[nodiscard]] std::string raw(const std::string& request) const {
        const int connection = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port_));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(
            0, connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
        EXPECT_EQ(static_cast<ssize_t>(request.size()),
                  send(connection, request.data(), request.size(), MSG_NOSIGNAL));
        shutdown(connection, SHUT_WR);
        std::string answer;
        std::array<char, 4096> buffer{};
        for (ssize_t count = 1; count > 0;) {
            count = recv(connection, buffer.data(), buffer.size(), 0);
            answer.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
        }
        close(connection);
        return answer;
    }

    std::string token_ = random_token();
    Api api_{files_, {std::nullopt, {1, UINT64_MAX}}};
    HttpServer server_{api_, kPage, token_};
    std::atomic<bool> is_over_{false};
    int port_ = 0;
    std::thread listening_;
};

TEST_F(Served, ThePageComesAtItsAddressAndAtThatOfEachFile) {
    const std::string prefix = "http://127.0.0.1:" + std::to_string(port_);
    EXPECT_EQ(prefix + at(""), server_.address());
    for (const char* path : {"", "0", "12"}) {
        const auto result = client().Get(at(path));
        ASSERT_TRUE(result);
        EXPECT_EQ(200, result->status);
        EXPECT_EQ(kPage, result->body);
        EXPECT_NE(
            std::string::npos,
            result->get_header_value("Content-Security-Policy").find("frame-ancestors 'none'"));
        EXPECT_EQ("no-referrer", result->get_header_value("Referrer-Policy"));
        EXPECT_EQ("no-store", result->get_header_value("Cache-Control"));
    }
}

TEST_F(Served, RequestsAreAnsweredAsJson) {
    const auto result = client().Post(at("api/files"), "{}", kJson);
    ASSERT_TRUE(result);
    EXPECT_EQ(200, result->status);
    EXPECT_EQ("test.json", Json::parse(result->body)["files"][0]["name"]);
    EXPECT_EQ("nosniff", result->get_header_value("X-Content-Type-Options"));
    const httplib::Headers own{{"Origin", "http://127.0.0.1:" + std::to_string(port_)},
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
        const auto [status, body] = answer_of(client().Get(path));
        EXPECT_EQ(403, status) << path;
        EXPECT_EQ(std::string::npos, body.find("the page")) << path;
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
        EXPECT_EQ(404, answer_of(client().Get(at(path))).first) << path;
    }
    EXPECT_EQ(404, answer_of(client().Delete(at("api/files"))).first);
    EXPECT_EQ(404, answer_of(client().Options(at("api/files"))).first);
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

// The client sends while the server reads. A server that stops reading has not stored the rest.
TEST_F(Served, ABodyInChunksIsTakenAsFarAsItMayBeLarge) {
    const auto chunks = [&](std::size_t count) {
        std::size_t sent = 0;
        auto result = client().Post(
            at("api/files"), {},
            [&](std::size_t, httplib::DataSink& sink) {
                const std::string some =
                    (sent == 0 ? "{}" : "") + std::string(kRequestBytesMax / 8, ' ');
                sent < count ? void(sink.write(some.data(), some.size())) : sink.done();
                ++sent;
                return sent <= count + 1;
            },
            kJson);
        return std::pair(answer_of(result).first, sent);
    };
    EXPECT_EQ(200, chunks(4).first);
    const auto [status, sent] = chunks(4'000);
    EXPECT_NE(200, status);
    EXPECT_LT(sent, 1'000U);
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
    const auto [status, body] = answer_of(
        client().Post(at("api/choices"), R"({"file": 0, "schedule": "lk1:1:s0,s9"})", kJson));
    EXPECT_EQ(409, status);
    EXPECT_EQ("step 2: action s9 is not possible; possible: s0 s1",
              Json::parse(body)["error"]["message"]);
}

TEST_F(Served, APortThatIsTakenIsRefused) {
    HttpServer other(api_, kPage, random_token());
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
