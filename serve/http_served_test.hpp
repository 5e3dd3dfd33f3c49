// SPDX-License-Identifier: Apache-2.0

// The server of the explorer, listening, and what its tests ask it through real sockets.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "serve/http_answers.hpp"
#include "serve/http_server.hpp"
#include "serve/serve_test.hpp"

namespace lockkeeper::testing_serve {

inline constexpr const char* kPage = "<!doctype html><title>the page</title>";
inline constexpr const char* kJson = "application/json";

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Headers = std::vector<std::pair<std::string, std::string>>;

// The answer that came back; status -1: it is no HTTP.
struct Returned {
    int status = -1;
    std::string body{};
    boost::beast::http::fields fields{};

    [[nodiscard]] std::string field(const char* name) const { return std::string(fields[name]); }
};

inline Returned understood(const std::string& answer) {
    boost::beast::http::response_parser<boost::beast::http::string_body> parser;
    boost::beast::error_code failure;
    parser.eager(true);
    parser.put(boost::asio::buffer(answer), failure);
    if (failure || !parser.is_header_done()) {
        return {};
    }
    return {static_cast<int>(parser.get().result_int()), parser.get().body(), parser.get().base()};
}

// One connection; closed at its end.
class Plug {
  public:
    explicit Plug(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(0,
                  connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
    }
    Plug(Plug&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    Plug& operator=(Plug&&) = delete;
    ~Plug() {
        if (socket_ >= 0) {
            close(socket_);
        }
    }
    // How much of it was taken.
    std::size_t send(const std::string& bytes) const {
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const ssize_t count =
                ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(count);
        }
        return sent;
    }
    void end() const { shutdown(socket_, SHUT_WR); }
    [[nodiscard]] std::string received() const {
        std::string answer;
        std::array<char, 4096> buffer{};
        for (ssize_t count = 1; count > 0;) {
            count = recv(socket_, buffer.data(), buffer.size(), 0);
            answer.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
        }
        return answer;
    }
    // Whether the other side closes it within this time. (It sends nothing before.)
    [[nodiscard]] bool is_closed_within(milliseconds time) const {
        pollfd look{socket_, POLLIN, 0};
        char byte = 0;
        return poll(&look, 1, static_cast<int>(time.count())) == 1 &&
               recv(socket_, &byte, 1, 0) <= 0;
    }

  private:
    int socket_;
};

class Served : public WithFiles {
  protected:
    explicit Served(const HttpLimits& limits = {}) : server_(answers_, limits) {}
    void SetUp() override {
        files_.open_text("test.json", pair_text());
        port_ = server_.bind(0);
        listening_ = std::thread([this] { server_.listen([this] { return is_over_.load(); }); });
    }
    void TearDown() override { stop(); }
    void stop() {
        is_over_ = true;
        if (listening_.joinable()) {
            listening_.join();
        }
    }

    [[nodiscard]] std::string at(const std::string& path) const {
        return "/" + token_ + "/" + path;
    }
    [[nodiscard]] std::string own_name() const { return "127.0.0.1:" + std::to_string(port_); }
    // The head of a request; a Host among the headers stands in place of its own.
    [[nodiscard]] std::string head(const std::string& method, const std::string& path,
                                   const Headers& headers) const {
        std::string text = method + " " + path + " HTTP/1.1\r\n";
        bool has_host = false;
        for (const auto& [name, value] : headers) {
            text += name + ": " + value + "\r\n";
            has_host = has_host || name == "Host";
        }
        return text + (has_host ? "" : "Host: " + own_name() + "\r\n") + "\r\n";
    }
    [[nodiscard]] Returned asked(const std::string& method, const std::string& path,
                                 Headers headers = {}, const std::string& body = "") const {
        if (!body.empty()) {
            headers.emplace_back("Content-Length", std::to_string(body.size()));
        }
        return understood(raw(head(method, path, headers) + body));
    }
    [[nodiscard]] Returned got(const std::string& path) const { return asked("GET", path); }
    [[nodiscard]] Returned answer_to_post(const std::string& path, const std::string& body,
                                          Headers headers = {}, const char* type = kJson) const {
        headers.emplace_back("Content-Type", type);
        return asked("POST", path, headers, body);
    }
    [[nodiscard]] int posted(const Headers& headers, const std::string& path,
                             const std::string& body = "{}", const char* type = kJson) const {
        return answer_to_post(path, body, headers, type).status;
    }
    // The bytes that come back to these.
    [[nodiscard]] std::string raw(const std::string& request) const {
        const Plug plug(port_);
        plug.send(request);
        plug.end();
        return plug.received();
    }
    [[nodiscard]] std::vector<Plug> plugs(std::size_t count) const {
        std::vector<Plug> some;
        for (std::size_t i = 0; i < count; ++i) {
            some.emplace_back(port_);
        }
        return some;
    }
    // An answer within a second, with what it took.
    void expect_prompt_answer() const {
        const auto start = Clock::now();
        EXPECT_EQ(200, posted({}, at("api/files")));
        EXPECT_LT(Clock::now() - start, milliseconds(1'000));
    }

    std::string token_ = random_token();
    Api api_{files_, {std::nullopt, {1, UINT64_MAX}}};
    ExplorerAnswers answers_{api_, kPage, token_};
    HttpServer server_;
    std::atomic<bool> is_over_{false};
    int port_ = 0;
    std::thread listening_;
};

}  // namespace lockkeeper::testing_serve
