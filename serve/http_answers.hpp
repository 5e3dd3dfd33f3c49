// SPDX-License-Identifier: Apache-2.0

// Answers the requests that http_server.hpp reads, and knows nothing of how bytes come and go.
// Safe with threads.
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

class HttpAnswers {
  public:
    // `api` and `page` must outlive this.
    HttpAnswers(Api& api, std::string_view page, std::string token)
        : api_(api), page_(page), token_(std::move(token)) {}

    void set_port(int port) { port_ = port; }
    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] const std::string& token() const { return token_; }

    // Before the body is read: what this head is refused with.
    [[nodiscard]] std::optional<Answer> refused(const HttpHead& head) const;
    // Answers a request that was not refused.
    [[nodiscard]] HttpResponse answer(const HttpRequest& request);

  private:
    [[nodiscard]] bool is_own_name(std::string_view name) const;
    [[nodiscard]] bool is_own_origin(std::string_view origin) const;
    [[nodiscard]] HttpResponse page_at(std::string_view rest) const;
    [[nodiscard]] HttpResponse posted(std::string_view rest, const HttpRequest& request);

    Api& api_;
    std::string_view page_;
    std::string token_;
    int port_ = 0;
};

}  // namespace lockkeeper
