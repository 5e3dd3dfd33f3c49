// SPDX-License-Identifier: Apache-2.0

// The proxy between the callers and the servers: it has a listening local socket for each caller
// and server, and opens a connection to the server for each connection of a caller. Bytes become
// whole requests and whole replies, which wait here until the search lets them go on.
//
// Requests of one connection go on in their order. What only sets up a connection passes at once.
// A transaction (MULTI ... EXEC) that has come whole is one request. Nothing here waits for a
// caller; a server is waited for until it has answered, or is found asleep without an answer.
#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/wire/footprint.hpp"
#include "validate/wire/held_server.hpp"
#include "validate/wire/loopback.hpp"
#include "validate/wire/mariadb_protocol.hpp"
#include "validate/wire/subscriptions.hpp"
#include "validate/wire/zookeeper.hpp"

namespace lockkeeper::wire {

inline constexpr std::size_t kConnectionsMax = 64;        // of one caller, in one run
inline constexpr std::size_t kRequestsPendingMax = 1024;  // of one connection
inline constexpr std::size_t kAskedBytes = 16;            // HTTP's method, ZooKeeper's operation

// A connected local socket that never blocks. Throws std::system_error.
[[nodiscard]] int connect_to(const std::string& path);

// A reply for people.
[[nodiscard]] std::string shown_of(ServerKind kind, std::string_view reply);
// "caller 0", for messages.
[[nodiscard]] std::string caller_text(std::size_t caller);

struct WireRequest {
    std::string bytes;
    std::string text;  // for people
    KeyFootprint footprint;
    std::size_t replies = 1;
    bool is_set_up = false;               // goes on without a choice
    std::vector<std::string> words = {};  // Redis's, of a command that is alone
    MariadbAnswer mariadb = MariadbAnswer::kResults;
    MessageKind kind = MessageKind::kRequest;  // for unknown servers
};

// A whole message of the server that nobody has passed on.
struct WireReply {
    std::string bytes;
    bool is_push = false;  // answers nothing: a message of a channel, a notification
    bool is_late = false;  // came by what somebody else has done
    MessageKind kind = MessageKind::kReply;  // for unknown servers
};

// Events on connections since the last question, beside the answers to requests.
struct Touched {
    KeyFootprint footprint;              // of those that have ended
    std::vector<std::uint32_t> inboxes;  // StepEffect's
};

// Whether this caller reaches this server.
[[nodiscard]] KeyUse reach_use(std::size_t caller, std::size_t server, bool writes);

class TcpServer;

class Connection {
  public:
    Connection(std::size_t caller, std::size_t server, std::size_t number, int client);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // The oldest request that does not go on by itself; null: none.
    [[nodiscard]] const WireRequest* next_chosen() const;

    std::size_t caller = 0;
    std::size_t server = 0;
    std::size_t number = 0;  // of this caller's, in the order in which it opened them in this run
    int client = -1;
    int upstream = -1;
    std::string from_client;                            // not yet a whole command
    std::string to_client;                              // not yet taken by the socket
    std::string from_server;                            // not yet a whole reply
    std::vector<std::vector<std::string>> transaction;  // commands from MULTI on
    std::deque<WireRequest> requests;
    std::deque<WireReply> replies;         // in the server's order
    std::size_t owed = 0;                  // replies that the server has not given: it waits
    std::int64_t waits_until = INT64_MAX;  // HeldServer::end_of_wait
    Subscriptions subscriptions;
    bool in_transaction = false;  // MULTI has been passed on alone
    bool is_late = false;         // its caller has lost it, or was killed: see bury()
    KeyFootprint queued;          // of the commands since then
    KeyFootprint watched;         // by WATCH, which the next EXEC asks about
    // For databases.
    bool has_begun = false;     // the start-up message has come
    bool ends = false;          // the client has said good-bye
    std::uint64_t session = 0;  // as the server calls it, also ZooKeeper
    std::string answer;         // messages of the answer that has not ended
    MariadbAnswerEnd answer_end;
    bool has_ended = false;  // the server has closed it; the client hears of it with the reply
    // For unknown servers, and for clients that are not held.
    std::string asked;                 // the beginning of the request under way
    bool has_answered = false;         // the server, with its first message
    bool is_tcp = false;               // the client's end
    std::vector<std::string> inboxes;  // NATS: its subscriptions for answers of its own
};

class Proxy {
  public:
    struct Settings {
        std::string directory;  // of the sockets
        std::size_t callers = 0;
        std::vector<HeldServer*> servers;
        ServerKind kind = ServerKind::kRedis;
        // The text of a script that a caller has sent.
        std::function<void(std::size_t server, const std::string& body)> on_script;
        double answer_seconds = 10;
    };
    explicit Proxy(Settings settings);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    // Takes what the caller has sent, and passes on what needs no choice. True: there was
    // something. Throws Misbehaved where it is no protocol.
    bool pump(std::size_t caller);
    [[nodiscard]] const std::vector<std::unique_ptr<Connection>>& of(std::size_t caller) const {
        return callers_[caller].connections;
    }
    [[nodiscard]] Connection* find(std::size_t caller, std::size_t number) const;

    // The oldest request goes on, and is answered or begins to wait at the server.
    void execute(Connection& connection);
    // The clock has woken the server of this connection: returns when the server is at rest again.
    void await_woken(Connection& connection);
    // Waits of the server with a time limit, for what this connection has asked.
    [[nodiscard]] std::vector<Sleeper> server_sleepers(const Connection& connection) const;
    // The first of what has come goes on to the caller: a push alone, or all replies up to the next
    // one. What it was, for people.
    std::string deliver(Connection& connection);
    // Takes all that the servers have sent unasked until now.
    void take_pushes();
    [[nodiscard]] Touched take_touched() { return std::exchange(touched_, {}); }
    // A caller that opens, uses or closes a connection to a server has touched what its loss
    // changes (reach_use). Noted from now on.
    void note_reaches() { notes_reaches_ = true; }
    void note_reach(std::size_t caller, std::size_t server);
    [[nodiscard]] bool has_noted() const { return !touched_.footprint.keys.empty(); }
    // Nothing is under way between them.
    [[nodiscard]] bool is_idle(std::size_t caller, std::size_t server) const;
    // Both ends are closed, with everything that is under way.
    void lose(Connection& connection);
    // All connections of a caller that has been killed, or that begins a new run.
    void forget(std::size_t caller);
    // The same, but what a killed caller has sent and the server has not executed stays, to be
    // executed later or never, in order for each connection.
    void bury(std::size_t caller);
    // The same for one that is lost. True: there is something that stays.
    bool bury(Connection& connection);
    // The oldest of it that needs a choice. Whoever then has nothing left, or waits, is lost.
    void execute_late(Connection& connection);
    // SCRIPT LOAD and EXISTS that come from now on need a choice.
    void hold_scripts(bool holds) { holds_scripts_ = holds; }
    // The oldest request, as the folder of files is now.
    void look_at_footprint(Connection& connection) const;
    // The incomplete request of a caller that is asleep; empty: there is none.
    [[nodiscard]] std::string half_sent(std::size_t caller) const;
    // The fingerprint of all requests and replies that have gone on since the last call of this.
    [[nodiscard]] std::uint64_t take_fingerprint() { return std::exchange(fingerprint_, 0); }
    // They are added to it, too, all of them; null: to nothing. But for what only sets up a
    // connection: a server numbers those on and on.
    void record_bytes(std::string* out) { recorded_ = out; }
    // The server has been started again: every connection to it is lost.
    void lose_all(std::size_t server);
    // And those of one caller to it.
    void lose_all(std::size_t server, std::size_t caller);
    // Another caller's act may have let the server answer those that wait there: takes the answers.
    // True: somebody waited.
    bool look_at_others(std::size_t server);

    // A reply for people.
    [[nodiscard]] std::string shown(const WireReply& reply) const;
    // Where the callers' programs that are not held connect to the first server.
    [[nodiscard]] std::uint16_t tcp_port(std::size_t caller) const {
        return callers_[caller].tcp_port;
    }
    // One of them has: held programs get a local socket.
    [[nodiscard]] bool came_by_tcp(std::size_t caller) const {
        return callers_[caller].came_by_tcp;
    }
    // Nothing between the caller and this is on its way.
    [[nodiscard]] bool has_arrived(std::size_t caller);

  private:
    struct Caller {
        std::vector<int> listeners;  // by server
        std::vector<std::unique_ptr<Connection>> connections;
        std::size_t opened = 0;
        int tcp_listener = -1;
        std::uint16_t tcp_port = 0;
        bool came_by_tcp = false;
    };

    [[nodiscard]] bool has_news(std::size_t caller);
    bool accept_all(std::size_t caller);
    bool read_from(Connection& connection);
    void flush(Connection& connection);
    void parse(Connection& connection);
    void parse_redis(Connection& connection);
    void parse_postgresql(Connection& connection);
    static void parse_mariadb(Connection& connection);
    static void await_greeting(Connection& connection);
    // For unknown servers (proxy_framed.cpp).
    void parse_framed(Connection& connection);
    void split_framed_replies(Connection& connection);
    void end_with_server(Connection& connection);
    // For files (proxy_files.cpp).
    void parse_files(Connection& connection);
    void split_files_replies(Connection& connection);
    [[nodiscard]] TcpServer& unknown_server(const Connection& connection) const;
    void add_connection(std::size_t caller, std::size_t server, int file);
    void split_redis_replies(Connection& connection);
    void split_postgresql_replies(Connection& connection);
    void split_mariadb_replies(Connection& connection);
    // That the server closes a connection is no end of the server.
    [[nodiscard]] bool may_close() const { return settings_.kind != ServerKind::kRedis; }
    void add_reply(Connection& connection, std::string bytes, bool is_push);
    // The state that the end of this connection can see and change.
    [[nodiscard]] KeyFootprint footprint_of_end(const Connection& connection) const;
    [[nodiscard]] bool may_be_told(const Connection& connection) const;
    void await_rest(const Connection& connection);
    void note_statement(std::string_view request);
    // Sessions that a statement has told to end, or to give up, have done so.
    void await_signalled(const Connection& connection);
    void forget(Connection& connection);
    bool becomes_late(Connection& connection);
    void take_command(Connection& connection, std::vector<std::string> words, std::string bytes);
    void end_transaction(Connection& connection);
    static void queue_channels(Connection& connection, std::size_t from, std::size_t to);
    bool pass_set_up(Connection& connection);
    void ask(Connection& connection, const std::string& bytes);
    // Until so many replies have come, or the server sleeps. Returns how many are missing.
    std::size_t await(Connection& connection, std::size_t replies);
    void take_replies(Connection& connection);
    void erase_closed(std::size_t caller);

    void note_bytes(const Connection& connection, MessageKind kind, std::string_view bytes);

    Settings settings_;
    std::vector<Caller> callers_;
    std::uint64_t fingerprint_ = 0;
    LoopbackState loopback_;
    std::string* recorded_ = nullptr;
    std::vector<pollfd> waits_;  // of one question, kept for its room
    bool holds_scripts_ = false;
    bool notes_reaches_ = false;
    Touched touched_;
    const Connection* executing_ = nullptr;  // what comes on it is asked for
    // LISTEN was sent to PostgreSQL, by anybody and at any time; what ends others' sessions.
    bool sees_listen_ = false;
    bool sees_signals_ = false;
};

}  // namespace lockkeeper::wire
