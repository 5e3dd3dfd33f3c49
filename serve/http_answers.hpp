// SPDX-License-Identifier: Apache-2.0

// Answers the requests that http_server.hpp reads, and knows nothing of how bytes come and go.
// Safe with threads. The explorer's are here, the playground's in serve.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "serve/api.hpp"

namespace lockkeeper {

using HttpHead = boost::beast::http::request_header<>;
using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

[[nodiscard]] HttpResponse http_response(const Answer& answer);
// `type`: as Content-Type has it.
[[nodiscard]] HttpResponse response_of(int status, std::string_view type, std::string body);
// Without what follows a question mark.
[[nodiscard]] std::string_view path_of(const HttpHead& head);

class HttpAnswers {
  public:
    HttpAnswers() = default;
    HttpAnswers(const HttpAnswers&) = delete;
    HttpAnswers& operator=(const HttpAnswers&) = delete;
    virtual ~HttpAnswers() = default;

    void set_port(int port) { port_ = port; }
    [[nodiscard]] int port() const { return port_; }

    // Its address has this behind the port: "/", "/TOKEN/".
    [[nodiscard]] virtual std::string begin_of_paths() const = 0;
    // Before the body is read: what this head is refused with.
    [[nodiscard]] std::optional<Answer> refused(const HttpHead& head) const;
    // Answers a request that was not refused.
    [[nodiscard]] virtual HttpResponse answer(const HttpRequest& request) = 0;

  protected:
    // "127.0.0.1:40123", "localhost:40123"
    [[nodiscard]] bool is_own_name(std::string_view name) const;

  private:
    // Asked of a head that names this server.
    [[nodiscard]] virtual std::optional<Answer> why_not(const HttpHead& head) const = 0;

    int port_ = 0;
};

class ExplorerAnswers : public HttpAnswers {
  public:
    // `api` and `page` must outlive this.
    ExplorerAnswers(Api& api, std::string_view page, std::string token)
        : api_(api), page_(page), token_(std::move(token)) {}

    [[nodiscard]] std::string begin_of_paths() const override { return "/" + token_ + "/"; }
    [[nodiscard]] HttpResponse answer(const HttpRequest& request) override;

  private:
    [[nodiscard]] std::optional<Answer> why_not(const HttpHead& head) const override;
    [[nodiscard]] bool is_own_origin(std::string_view origin) const;
    [[nodiscard]] HttpResponse page_at(std::string_view rest) const;
    [[nodiscard]] HttpResponse posted(std::string_view rest, const HttpRequest& request);

    Api& api_;
    std::string_view page_;
    std::string token_;
};

}  // namespace lockkeeper
