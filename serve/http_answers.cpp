// SPDX-License-Identifier: Apache-2.0
#include "serve/http_answers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "serve/http_server.hpp"

namespace lockkeeper {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kJson = "application/json";

// What the page may do: its own script and style, requests to where it came from, pictures of its
// own making.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// In a time that tells nothing of how much is right.
bool is_same(std::string_view given, std::string_view wanted) {
    unsigned difference = given.size() == wanted.size() ? 0 : 1;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const char letter = i < given.size() ? given[i] : '\0';
        difference |= static_cast<unsigned>(letter ^ wanted[i]);
    }
    return difference == 0;
}

std::string_view text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

// "" where there is none.
template <class Name>
std::string_view value_of(const HttpHead& head, const Name& name) {
    return text_of(head[name]);
}

}  // namespace

std::string_view path_of(const HttpHead& head) {
    const std::string_view target = text_of(head.target());
    return target.substr(0, target.find('?'));
}

HttpResponse response_of(int status, std::string_view type, std::string body) {
    HttpResponse response(static_cast<http::status>(status), 11);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
    response.keep_alive(false);
    response.body() = std::move(body);
    response.prepare_payload();
    return response;
}

HttpResponse http_response(const Answer& answer) {
    return response_of(answer.status, kJson, answer.json);
}

bool HttpAnswers::is_own_name(std::string_view name) const {
    return name == fmt::format("{}:{}", kLoopback, port_) ||
           name == fmt::format("localhost:{}", port_);
}

std::optional<Answer> HttpAnswers::refused(const HttpHead& head) const {
    if (head.count(http::field::host) != 1 || !is_own_name(value_of(head, http::field::host))) {
        return refusal(403, "the request names another host");
    }
    if (auto why = why_not(head)) {
        return why;
    }
    // Whoever unpacks cannot bound what comes of it; no browser packs what it sends.
    const std::string_view transfer = value_of(head, http::field::transfer_encoding);
    if (head.count(http::field::content_encoding) != 0 ||
        (!transfer.empty() && transfer != "chunked")) {
        return refusal(415,
                       "a request is not compressed: no Content-Encoding, and no "
                       "Transfer-Encoding but chunked");
    }
    return std::nullopt;
}

bool ExplorerAnswers::is_own_origin(std::string_view origin) const {
    constexpr std::string_view kScheme = "http://";
    return origin.starts_with(kScheme) && is_own_name(origin.substr(kScheme.size()));
}

std::optional<Answer> ExplorerAnswers::why_not(const HttpHead& head) const {
    const auto origins = head.equal_range(http::field::origin);
    const bool is_foreign = std::any_of(origins.first, origins.second, [&](const auto& field) {
        return !is_own_origin(text_of(field.value()));
    });
    const std::string_view site = value_of(head, "Sec-Fetch-Site");
    if (is_foreign ||
        (head.method() != http::verb::get && !site.empty() && site != "same-origin")) {
        return refusal(403, "the request comes from another page");
    }
    const std::string_view path = path_of(head);
    const bool has_token = path.size() > token_.size() + 1 && path.front() == '/' &&
                           is_same(path.substr(1, token_.size()), token_) &&
                           path[token_.size() + 1] == '/';
    if (!has_token) {
        return refusal(403, "the address has not the token of this lockkeeper");
    }
    return std::nullopt;
}

HttpResponse ExplorerAnswers::page_at(std::string_view rest) const {
    constexpr std::size_t kDigitsMax = 4;
    if (rest.size() > kDigitsMax || rest.find_first_not_of("0123456789") != std::string::npos) {
        return http_response(refusal(404, "no such page"));
    }
    HttpResponse response = response_of(200, "text/html; charset=utf-8", std::string(page_));
    response.set("Content-Security-Policy", kPolicy);
    return response;
}

HttpResponse ExplorerAnswers::posted(std::string_view rest, const HttpRequest& request) {
    constexpr std::string_view kApi = "api/";
    if (!rest.starts_with(kApi)) {
        return http_response(refusal(404, "no such request"));
    }
    if (value_of(request.base(), http::field::content_type) != kJson) {
        return http_response(refusal(415, "a request is JSON: Content-Type application/json"));
    }
    return http_response(api_.answer(rest.substr(kApi.size()), request.body()));
}

HttpResponse ExplorerAnswers::answer(const HttpRequest& request) {
    const std::string_view rest = path_of(request.base()).substr(token_.size() + 2);
    switch (request.method()) {
        case http::verb::get: return page_at(rest);
        case http::verb::post: return posted(rest, request);
        default: return http_response(refusal(404, "no such request"));
    }
}

}  // namespace lockkeeper
