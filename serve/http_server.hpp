// SPDX-License-Identifier: Apache-2.0

// HTTP on the loopback interface only. Of the explorer:
//
//   GET  /TOKEN/           the page; the browser keeps the schedule behind the #
//   GET  /TOKEN/3          the same, of file 3
//   POST /TOKEN/api/NAME   a request of api.hpp, as JSON
//
// Whoever does not know the token gets nothing: it is 128 random bits of the kernel, new for each
// start. Names of other hosts and pages of other origins are refused before a body is read, so that
// a page somewhere in the network cannot make the browser ask for it (DNS rebinding).
//
// One thread reads and writes all connections, so that a silent one keeps nobody waiting. A
// connection answers one request and is closed. What a stranger may use is bounded: HttpLimits.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "serve/api.hpp"

namespace lockkeeper {

inline constexpr const char* kLoopback = "127.0.0.1";
inline constexpr std::size_t kRequestBytesMax = kScenarioBytesMax;
inline constexpr std::size_t kHeadBytesMax = 16U << 10U;

struct HttpLimits {
    std::chrono::milliseconds head{5'000};     // from the connection to the end of its head
    std::chrono::milliseconds body{10'000};    // from there to the end of the body
    std::chrono::milliseconds answer{10'000};  // until it is taken
    // When one more comes, the oldest that has not shown the token goes. Where all have shown it,
    // the new one goes.
    std::size_t connections_max = 64;
};

// 32 hexadecimal digits. Throws std::system_error.
[[nodiscard]] std::string random_token();

class HttpAnswers;

class HttpServer {
  public:
    // `answers` must outlive this.
    explicit HttpServer(HttpAnswers& answers, const HttpLimits& limits = {});
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer();

    // Returns the port that it binds; 0: any free one. UsageError: the port is not available.
    int bind(int port);
    // "http://127.0.0.1:40123/TOKEN/"
    [[nodiscard]] std::string address() const;
    // Answers until `is_over`, which is asked now and then; closes all connections then.
    void listen(const std::function<bool()>& is_over);

  private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace lockkeeper
