// SPDX-License-Identifier: Apache-2.0
#include "serve/http_server.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <list>
#include <memory>
#include <system_error>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "serve/http_answers.hpp"

namespace lockkeeper {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Failure = beast::error_code;

constexpr std::size_t kWorkers = 4;
constexpr std::chrono::milliseconds kLook{50};
// Of what was received and not parsed yet.
constexpr std::size_t kBufferBytesMax = 8 * kHeadBytesMax;

Answer why_not_understood(const Failure& failure) {
    if (failure == http::error::body_limit) {
        return refusal(413, "the request is too large");
    }
    if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
        return refusal(431, "the head of the request is too large");
    }
    return refusal(400, "the request is not understood");
}

// Sent by the network, or by the end of its time: nobody is there to be answered.
bool is_gone(const Failure& failure) {
    return failure == beast::error::timeout || failure == asio::error::operation_aborted ||
           failure == asio::error::eof || failure == asio::error::connection_reset ||
           failure == http::error::end_of_stream || failure == http::error::partial_message;
}

}  // namespace

// One request: its head, its body, its answer, each within its time. All of it but the work for
// the answer happens on the one thread of the server.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
  public:
    HttpConnection(asio::ip::tcp::socket socket, HttpAnswers& answers, const HttpLimits& limits,
                   asio::thread_pool& workers)
        : stream_(std::move(socket)), answers_(answers), limits_(limits), workers_(workers) {
        parser_.header_limit(static_cast<std::uint32_t>(kHeadBytesMax));
        parser_.body_limit(kRequestBytesMax);
    }

    void begin() {
        stream_.expires_after(limits_.head);
        http::async_read_header(stream_, buffer_, parser_,
                                [self = shared_from_this()](const Failure& failure, std::size_t) {
                                    failure ? self->not_read(failure) : self->have_head();
                                });
    }
    void close() { stream_.close(); }
    [[nodiscard]] bool has_token() const { return has_token_; }
    [[nodiscard]] bool is_open() { return stream_.socket().is_open(); }

  private:
    void have_head() {
        if (const auto why_not = answers_.refused(parser_.get().base())) {
            write(http_response(*why_not));
            return;
        }
        has_token_ = true;
        stream_.expires_after(limits_.body);
        http::async_read(stream_, buffer_, parser_,
                         [self = shared_from_this()](const Failure& failure, std::size_t) {
                             failure ? self->not_read(failure) : self->work();
                         });
    }
    void not_read(const Failure& failure) {
        is_gone(failure) ? close() : write(http_response(why_not_understood(failure)));
    }
    // The answer may take its time: others are read meanwhile.
    void work() {
        stream_.expires_never();
        asio::post(workers_, [self = shared_from_this()] {
            auto response =
                std::make_shared<HttpResponse>(self->answers_.answer(self->parser_.get()));
            asio::post(self->stream_.get_executor(),
                       [self, response] { self->write(std::move(*response)); });
        });
    }
    void write(HttpResponse response) {
        response_ = std::move(response);
        stream_.expires_after(limits_.answer);
        http::async_write(stream_, response_,
                          [self = shared_from_this()](const Failure& failure, std::size_t) {
                              failure || self->parser_.is_done() ? self->close() : self->drain();
                          });
    }
    // What was refused has not been read to its end. To close at once would take the answer from
    // whom is still writing; a moment is enough. (Time alone would not end what comes faster than
    // it is read.)
    void drain() {
        Failure ignored;
        stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        has_token_ = false;
        stream_.expires_after(std::min(limits_.answer, std::chrono::milliseconds(1'000)));
        read_away();
    }
    void read_away() {
        stream_.async_read_some(asio::buffer(away_), [self = shared_from_this()](
                                                         const Failure& failure, std::size_t size) {
            self->drained_ += size;
            failure || self->drained_ > 2 * kRequestBytesMax ? self->close() : self->read_away();
        });
    }

    beast::tcp_stream stream_;
    HttpAnswers& answers_;
    const HttpLimits& limits_;
    asio::thread_pool& workers_;
    beast::flat_buffer buffer_{kBufferBytesMax};
    http::request_parser<http::string_body> parser_;
    HttpResponse response_;
    std::array<char, 16'384> away_{};
    std::size_t drained_ = 0;
    bool has_token_ = false;
};

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

struct HttpServer::Inside {
    HttpAnswers& answers;
    HttpLimits limits;
    asio::io_context io{1};
    asio::ip::tcp::acceptor acceptor{io};
    asio::steady_timer look{io};
    asio::steady_timer pause{io};
    asio::thread_pool workers{kWorkers};
    std::list<std::weak_ptr<HttpConnection>> connections{};  // the oldest first

    void accept();
    void take(asio::ip::tcp::socket socket);
    [[nodiscard]] bool make_room();
    void look_whether(const std::function<bool()>& is_over);
};

void HttpServer::Inside::accept() {
    acceptor.async_accept([this](const Failure& failure, asio::ip::tcp::socket socket) {
        if (failure == asio::error::operation_aborted) {
            return;
        }
        if (!failure) {
            take(std::move(socket));
            accept();
            return;
        }
        // No descriptor is left, say: asked at once it would be the same.
        pause.expires_after(kLook);
        pause.async_wait([this](const Failure& cancelled) {
            if (!cancelled) {
                accept();
            }
        });
    });
}

// Whether one more may come; the oldest stranger goes where that is needed.
bool HttpServer::Inside::make_room() {
    std::erase_if(connections, [](const auto& weak) {
        const auto connection = weak.lock();
        return connection == nullptr || !connection->is_open();
    });
    if (connections.size() < limits.connections_max) {
        return true;
    }
    const auto stranger = std::find_if(connections.begin(), connections.end(),
                                       [](const auto& weak) { return !weak.lock()->has_token(); });
    if (stranger == connections.end()) {
        return false;
    }
    stranger->lock()->close();
    connections.erase(stranger);
    return true;
}

void HttpServer::Inside::take(asio::ip::tcp::socket socket) {
    if (!make_room()) {
        return;
    }
    const auto connection =
        std::make_shared<HttpConnection>(std::move(socket), answers, limits, workers);
    connections.push_back(connection);
    connection->begin();
}

void HttpServer::Inside::look_whether(const std::function<bool()>& is_over) {
    if (is_over()) {
        io.stop();
        return;
    }
    look.expires_after(kLook);
    look.async_wait([this, &is_over](const Failure&) { look_whether(is_over); });
}

HttpServer::HttpServer(HttpAnswers& answers, const HttpLimits& limits)
    : inside_(new Inside{answers, limits}) {}

HttpServer::~HttpServer() = default;

int HttpServer::bind(int port) {
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address_v4(kLoopback),
                                           static_cast<std::uint16_t>(port));
    Failure failure;
    asio::ip::tcp::acceptor& acceptor = inside_->acceptor;
    acceptor.open(endpoint.protocol());
    // A port that was left a moment ago may be had again. (Never shared with another process,
    // which could answer in place of this one.)
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(endpoint, failure);
    if (!failure) {
        acceptor.listen(asio::socket_base::max_listen_connections, failure);
    }
    if (failure) {
        acceptor.close();
        throw UsageError(port == 0 ? std::string("no port of 127.0.0.1 can be had")
                                   : fmt::format("--port: {} of {} cannot be had: is it taken?",
                                                 port, kLoopback));
    }
    inside_->answers.set_port(acceptor.local_endpoint().port());
    return inside_->answers.port();
}

std::string HttpServer::address() const {
    const HttpAnswers& answers = inside_->answers;
    return fmt::format("http://{}:{}{}", kLoopback, answers.port(), answers.begin_of_paths());
}

void HttpServer::listen(const std::function<bool()>& is_over) {
    Inside& inside = *inside_;
    inside.accept();
    inside.look_whether(is_over);
    inside.io.run();
    inside.acceptor.close();
    for (const auto& weak : inside.connections) {
        if (const auto connection = weak.lock()) {
            connection->close();
        }
    }
    inside.workers.stop();
    inside.workers.join();  // waits for the answers under way
}

}  // namespace lockkeeper
