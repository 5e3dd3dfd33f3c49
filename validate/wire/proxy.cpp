// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/proxy.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "model/check.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/postgresql_protocol.hpp"
#include "validate/wire/resp.hpp"
#include "validate/wire/tcp_server.hpp"

namespace lockkeeper::wire {
namespace {

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    LOCKKEEPER_CHECK(path.size() < sizeof(address.sun_path));
    std::memcpy(static_cast<void*>(address.sun_path), path.c_str(), path.size() + 1);
    return address;
}

int local_socket() {
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0) {
        throw std::system_error(errno, std::generic_category(), "a local socket");
    }
    return file;
}

int listen_at(const std::string& path) {
    const int file = local_socket();
    const sockaddr_un address = address_of(path);
    if (bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        listen(file, kConnectionsMax) != 0) {
        const int error = errno;
        close(file);
        throw std::system_error(error, std::generic_category(), path);
    }
    return file;
}

}  // namespace

std::string shown_of(ServerKind kind, std::string_view reply) {
    switch (kind) {
        case ServerKind::kRedis: return shown_reply(reply);
        case ServerKind::kMariadb: return shown_mariadb_answer(reply);
        default: break;
    }
    return shown_postgresql_answer(reply);
}

std::string caller_text(std::size_t caller) { return "caller " + std::to_string(caller); }

int connect_to(const std::string& path) {
    const int file = local_socket();
    const sockaddr_un address = address_of(path);
    if (connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        const int error = errno;
        close(file);
        throw std::system_error(error, std::generic_category(), path);
    }
    return file;
}

Connection::Connection(std::size_t its_caller, std::size_t its_server, std::size_t its_number,
                       int its_client)
    : caller(its_caller), server(its_server), number(its_number), client(its_client) {}

Connection::~Connection() {
    for (const int file : {client, upstream}) {
        if (file >= 0) {
            close(file);
        }
    }
}

const WireRequest* Connection::next_chosen() const {
    const auto next = std::find_if(requests.begin(), requests.end(),
                                   [](const WireRequest& request) { return !request.is_set_up; });
    return next == requests.end() ? nullptr : &*next;
}

Proxy::Proxy(Settings settings) : settings_(std::move(settings)), callers_(settings_.callers) {
    for (std::size_t caller = 0; caller < callers_.size(); ++caller) {
        for (std::size_t server = 0; server < settings_.servers.size(); ++server) {
            callers_[caller].listeners.push_back(
                listen_at(fmt::format("{}/c{}.{}", settings_.directory, caller, server)));
        }
        callers_[caller].tcp_listener = listen_on_loopback(callers_[caller].tcp_port);
    }
}

Proxy::~Proxy() {
    for (const Caller& caller : callers_) {
        std::for_each(caller.listeners.begin(), caller.listeners.end(), close);
        close(caller.tcp_listener);
    }
}

Connection* Proxy::find(std::size_t caller, std::size_t number) const {
    for (const auto& connection : callers_[caller].connections) {
        if (connection->number == number) {
            return connection.get();
        }
    }
    return nullptr;
}

void Proxy::add_connection(std::size_t caller, std::size_t server, int file) {
    Caller& own = callers_[caller];
    own.connections.push_back(std::make_unique<Connection>(caller, server, own.opened++, file));
    note_reach(caller, server);
    if (settings_.kind == ServerKind::kMariadb ||
        (settings_.kind == ServerKind::kTcp && unknown_server(*own.connections.back()).greets())) {
        await_greeting(*own.connections.back());
    }
    if (own.opened > kConnectionsMax) {
        throw Misbehaved(Misbehaviour::kFlooded,
                         fmt::format("{} opened more than {} connections in one run",
                                     caller_text(caller), kConnectionsMax));
    }
}

bool Proxy::accept_all(std::size_t caller) {
    bool moved = false;
    Caller& own = callers_[caller];
    const auto accept_at = [](int listener) {
        return accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    };
    for (std::size_t server = 0; server < own.listeners.size(); ++server) {
        for (int file = 0; (file = accept_at(own.listeners[server])) >= 0; moved = true) {
            add_connection(caller, server, file);
        }
    }
    for (int file = 0; (file = accept_at(own.tcp_listener)) >= 0; moved = true) {
        add_connection(caller, 0, file);
        own.connections.back()->is_tcp = own.came_by_tcp = true;
    }
    return moved;
}

// One question for all of its sockets: it is asked at every look, and nearly always for nothing.
// Whether somebody wants to connect stands in the first of the answers.
bool Proxy::has_news(std::size_t caller) {
    const Caller& own = callers_[caller];
    waits_.clear();
    waits_.push_back({own.tcp_listener, POLLIN, 0});
    for (const int listener : own.listeners) {
        waits_.push_back({listener, POLLIN, 0});
    }
    bool goes_on = false;
    for (const auto& connection : own.connections) {
        // Also of one that a request waits on to go on by itself, or an answer to be taken.
        goes_on = goes_on || connection->client < 0 || !connection->to_client.empty() ||
                  (!connection->requests.empty() && connection->requests.front().is_set_up);
        waits_.push_back({connection->client, POLLIN, 0});  // below 0: is not asked
    }
    return ::poll(waits_.data(), waits_.size(), 0) != 0 || goes_on;
}

bool Proxy::pump(std::size_t caller) {
    if (!has_news(caller)) {
        return false;
    }
    const auto listeners = static_cast<std::ptrdiff_t>(1 + callers_[caller].listeners.size());
    const bool somebody_connects =
        std::any_of(waits_.begin(), waits_.begin() + listeners,
                    [](const pollfd& wait) { return wait.revents != 0; });
    bool moved = somebody_connects && accept_all(caller);
    auto& connections = callers_[caller].connections;
    for (const auto& connection : connections) {
        if (connection->is_late) {
            continue;
        }
        flush(*connection);
        moved = read_from(*connection) || moved;
        moved = pass_set_up(*connection) || moved;
    }
    erase_closed(caller);
    return moved;
}

// A caller that has closed its end may have requests under way, which still go on.
void Proxy::erase_closed(std::size_t caller) {
    std::erase_if(callers_[caller].connections, [&](const auto& connection) {
        const bool goes =
            connection->client < 0 && connection->requests.empty() && connection->owed == 0;
        if (goes) {
            forget(*connection);
        }
        return goes;
    });
}

bool Proxy::read_from(Connection& connection) {
    if (connection.client < 0) {
        return false;
    }
    std::array<char, 65536> buffer;
    bool moved = false;
    for (;;) {
        const ssize_t count = recv(connection.client, buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return moved;
        }
        moved = true;
        note_reach(connection.caller, connection.server);
        const bool is_all = count < static_cast<ssize_t>(buffer.size());  // that there is now
        if (count <= 0) {
            close(connection.client);
            connection.client = -1;
            connection.replies.clear();
            connection.from_client.clear();
            return moved;
        }
        connection.from_client.append(buffer.data(), static_cast<std::size_t>(count));
        try {
            parse(connection);
        } catch (const BadBytes& error) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             caller_text(connection.caller) +
                                 " sent what the server does not understand: " + error.what());
        }
        if (is_all) {
            return moved;
        }
    }
}

void Proxy::ask(Connection& connection, const std::string& bytes) {
    if (connection.upstream < 0) {
        connection.upstream = settings_.servers[connection.server]->connect_upstream();
    }
    std::size_t at = 0;
    const auto deadline = moment_after(settings_.answer_seconds);
    while (at < bytes.size()) {
        const ssize_t count =
            send(connection.upstream, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) {
            pollfd wait{connection.upstream, POLLOUT, 0};
            ::poll(&wait, 1, 100);
            if (SteadyClock::now() > deadline) {
                throw Misbehaved(Misbehaviour::kHung, "the server does not read a request");
            }
        } else if (count < 0 && errno != EINTR && may_close()) {
            return;  // it has closed the connection, which is read next
        } else if (count < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "the server");
        }
        at += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
}

void Proxy::take_replies(Connection& connection) {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t count = recv(connection.upstream, buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            break;
        }
        if (count <= 0 && may_close()) {
            settings_.servers[connection.server]->upstream_ended(connection);
            connection.has_ended = true;
            break;
        }
        if (count <= 0 && connection.has_ended) {
            break;
        }
        if (count <= 0) {
            throw Misbehaved(Misbehaviour::kDied, "the server closed a connection");
        }
        connection.from_server.append(buffer.data(), static_cast<std::size_t>(count));
        if (connection.from_server.size() > 2 * kReplyBytesMax) {
            throw Misbehaved(Misbehaviour::kFlooded, "a reply of the server of more than 16 MiB");
        }
    }
    try {
        switch (settings_.kind) {
            case ServerKind::kRedis: split_redis_replies(connection); break;
            case ServerKind::kPostgresql: split_postgresql_replies(connection); break;
            case ServerKind::kMariadb: split_mariadb_replies(connection); break;
            case ServerKind::kTcp: split_framed_replies(connection); break;
            case ServerKind::kFiles: split_files_replies(connection); break;
        }
    } catch (const BadBytes& error) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         std::string("the server's answer is no protocol: ") + error.what());
    }
}

std::size_t Proxy::await(Connection& connection, std::size_t replies) {
    connection.owed += replies;
    HeldServer& server = *settings_.servers[connection.server];
    AnswerTime time(settings_.answer_seconds);
    for (unsigned looks = 0; connection.owed > 0; ++looks) {
        // The wait is only for when to ask whether the server sleeps.
        pollfd wait{connection.upstream, POLLIN, 0};
        const timespec slice{0, looks < 4 ? 200'000 : 1'000'000};
        ppoll(&wait, 1, &slice, nullptr);
        take_replies(connection);
        if (connection.owed > 0 && server.waits(connection)) {
            take_replies(connection);
            return connection.owed;
        }
        if (time.is_over(server.processes(connection))) {
            const bool is_remote = server.runs_on_real_time();
            throw Misbehaved(Misbehaviour::kHung,
                             std::string("the server did not answer") +
                                 (is_remote ? "; on real time nobody sees that it waits" : ""));
        }
    }
    return 0;
}

void Proxy::execute(Connection& connection) {
    LOCKKEEPER_CHECK(!connection.requests.empty() && connection.owed == 0);
    note_reach(connection.caller, connection.server);
    const WireRequest request = std::move(connection.requests.front());
    connection.requests.pop_front();
    note_statement(request.bytes);
    const std::size_t replies = settings_.kind != ServerKind::kRedis ? request.replies
                                : request.words.empty()
                                    ? connection.subscriptions.begin_many(request.replies)
                                    : connection.subscriptions.begin(request.words);
    // The server's number of a connection is another one in each run.
    note_bytes(connection, request.kind,
               names_connection(request.words) ? std::string_view(request.text) : request.bytes);
    connection.asked = request.bytes.substr(0, kAskedBytes);
    connection.answer_end.begin(request.mariadb);
    executing_ = &connection;
    if (is_good_bye(request.words)) {  // Redis closes it behind its answer, and reads no more
        connection.has_ended = true;
        connection.requests.clear();
    }
    ask(connection, request.bytes);
    settings_.servers[connection.server]->asked(connection);
    await(connection, replies);
    if (replies == 0) {
        await_rest(connection);  // it has done what it was asked
    }
    await_signalled(connection);
    executing_ = nullptr;
    connection.waits_until = connection.owed == 0
                                 ? INT64_MAX
                                 : settings_.servers[connection.server]->end_of_wait(request.words);
    look_at_others(connection.server);
    take_pushes();
    if (connection.client < 0) {
        connection.replies.clear();
    }
}

void Proxy::flush(Connection& connection) {
    while (!connection.to_client.empty() && connection.client >= 0) {
        const ssize_t count = send(connection.client, connection.to_client.data(),
                                   connection.to_client.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno != EAGAIN) {
            connection.to_client.clear();  // it has closed its end, which is read soon
        }
        if (count <= 0) {
            return;
        }
        connection.to_client.erase(0, static_cast<std::size_t>(count));
    }
}

std::string Proxy::half_sent(std::size_t caller) const {
    for (const auto& connection : callers_[caller].connections) {
        if (!connection->from_client.empty()) {
            return connection->from_client;
        }
    }
    return "";
}

}  // namespace lockkeeper::wire
