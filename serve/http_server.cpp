// SPDX-License-Identifier: Apache-2.0
#include "serve/http_server.hpp"

#include <httplib.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kWorkers = 4;
constexpr std::chrono::milliseconds kLook{50};
constexpr const char* kJson = "application/json";

// The page may run its own script and style, make requests to its own server, and show pictures
// that it made itself.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// Takes the same time however much of `given` is right.
bool is_same(std::string_view given, std::string_view wanted) {
    unsigned difference = given.size() == wanted.size() ? 0 : 1;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const char letter = i < given.size() ? given[i] : '\0';
        difference |= static_cast<unsigned>(letter ^ wanted[i]);
    }
    return difference == 0;
}

void answer_with(httplib::Response& response, const Answer& answer) {
    response.status = answer.status;
    response.set_content(answer.json, kJson);
}

}  // namespace

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

struct HttpServer::Inside {
    Api& api;
    std::string_view page;
    std::string token;
    int port = 0;
    httplib::Server server{};

    void set_up();
    [[nodiscard]] std::optional<Answer> refused(const httplib::Request& request) const;
    [[nodiscard]] bool is_own_name(const std::string& name) const;
    [[nodiscard]] std::string rest_of(const std::string& path) const {
        return path.substr(token.size() + 2);
    }
    void get(const httplib::Request& request, httplib::Response& response) const;
    void post(const httplib::Request& request, const httplib::ContentReader& reads,
              httplib::Response& response);
};

// "127.0.0.1:40123", "localhost:40123"
bool HttpServer::Inside::is_own_name(const std::string& name) const {
    return name == fmt::format("{}:{}", kLoopback, port) ||
           name == fmt::format("localhost:{}", port);
}

// Checks a request before its body is read.
std::optional<Answer> HttpServer::Inside::refused(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") != 1 ||
        !is_own_name(request.get_header_value("Host"))) {
        return refusal(403, "the request names another host");
    }
    constexpr std::string_view kScheme = "http://";
    const std::string origin = request.get_header_value("Origin");
    const bool is_foreign = !origin.starts_with(kScheme) ||
                            !is_own_name(origin.substr(std::min(origin.size(), kScheme.size())));
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    if ((request.has_header("Origin") && is_foreign) ||
        (request.method != "GET" && !site.empty() && site != "same-origin")) {
        return refusal(403, "the request comes from another page");
    }
    const bool has_token = request.path.size() > token.size() + 1 &&
                           is_same(request.path.substr(1, token.size()), token) &&
                           request.path[token.size() + 1] == '/';
    if (!has_token) {
        return refusal(403, "the address has not the token of this lockkeeper");
    }
    return std::nullopt;
}

void HttpServer::Inside::get(const httplib::Request& request, httplib::Response& response) const {
    const std::string rest = rest_of(request.path);
    constexpr std::size_t kDigitsMax = 4;
    if (rest.size() > kDigitsMax || rest.find_first_not_of("0123456789") != std::string::npos) {
        answer_with(response, refusal(404, "no such page"));
        return;
    }
    response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
    response.set_header("Content-Security-Policy", kPolicy);
}

// Whatever the body's form: the library bounds neither chunks nor what was compressed.
void HttpServer::Inside::post(const httplib::Request& request, const httplib::ContentReader& reads,
                              httplib::Response& response) {
    std::string body;
    const bool is_whole = reads([&](const char* data, std::size_t size) {
        const bool fits = size <= kRequestBytesMax - body.size();
        body.append(data, fits ? size : 0);
        return fits;
    });
    if (!is_whole) {
        response.status = response.status > 0 ? response.status : 413;
        return;  // the error handler says why
    }
    constexpr std::string_view kApi = "api/";
    const std::string rest = rest_of(request.path);
    if (!rest.starts_with(kApi)) {
        answer_with(response, refusal(404, "no such request"));
    } else if (request.get_header_value("Content-Type") != kJson) {
        answer_with(response, refusal(415, "a request is JSON: Content-Type application/json"));
    } else {
        answer_with(response, api.answer(rest.substr(kApi.size()), body));
    }
}

void HttpServer::Inside::set_up() {
    // One request a connection, because a refused request leaves a body that nobody reads.
    server.set_keep_alive_max_count(1);
    server.set_payload_max_length(kRequestBytesMax);
    server.new_task_queue = [] { return new httplib::ThreadPool(kWorkers); };
    server.set_read_timeout(std::chrono::seconds(10));
    // The library shares ports with other processes, which could answer in place of this one.
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    server.set_default_headers({{"Cache-Control", "no-store"},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cross-Origin-Opener-Policy", "same-origin"}});
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
            if (const auto why_not = refused(request)) {
                answer_with(response, *why_not);
                return httplib::Server::HandlerResponse::Handled;
            }
            return httplib::Server::HandlerResponse::Unhandled;
        });
    const auto getting = [this](const httplib::Request& request, httplib::Response& response) {
        get(request, response);
    };
    const auto posting = [this](const httplib::Request& request, httplib::Response& response,
                                const httplib::ContentReader& reads) {
        post(request, reads, response);
    };
    server.Get("/.*", getting);
    server.Post("/.*", posting);
    // The library itself refuses a body that is too large and anything that is no HTTP.
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
        if (response.body.empty()) {
            answer_with(response, refusal(response.status, response.status == 413
                                                               ? "the request is too large"
                                                               : "the request is not understood"));
        }
    });
}

HttpServer::HttpServer(Api& api, std::string_view page, std::string token)
    : inside_(new Inside{api, page, std::move(token)}) {
    inside_->set_up();
}

HttpServer::~HttpServer() = default;

int HttpServer::bind(int port) {
    Inside& inside = *inside_;
    if (port == 0) {
        inside.port = inside.server.bind_to_any_port(kLoopback);
    } else {
        inside.port = inside.server.bind_to_port(kLoopback, port) ? port : -1;
    }
    if (inside.port <= 0) {
        throw UsageError(port == 0 ? std::string("no port of 127.0.0.1 can be had")
                                   : fmt::format("--port: {} of {} cannot be had: is it taken?",
                                                 port, kLoopback));
    }
    return inside.port;
}

std::string HttpServer::address() const {
    return fmt::format("http://{}:{}/{}/", kLoopback, inside_->port, inside_->token);
}

void HttpServer::listen(const std::function<bool()>& is_over) {
    httplib::Server& server = inside_->server;
    std::atomic<bool> has_ended{false};
    std::thread answering([&] {
        server.listen_after_bind();
        has_ended = true;
    });
    // A server that has not begun yet cannot be stopped.
    while (!has_ended && !(server.is_running() && is_over())) {
        std::this_thread::sleep_for(kLook);
    }
    server.stop();
    answering.join();
}

}  // namespace lockkeeper
