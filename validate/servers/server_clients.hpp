// SPDX-License-Identifier: Apache-2.0

// The callers of a scenario as clients of a real server: each statement that a step of the model
// stands for is sent on the caller's own connection, without waiting for its answer. What they know
// is what a client knows: its blocks, its savepoints, the answers it got.
//
// Order of calls: reset() before each run; perform() for each action that the model has taken, then
// settle(), then the observations. end() ends all sessions.
//
// Errors: DatabaseError; TooSlow when a timer of the server ran out before the schedule had it (a
// loaded machine): the run says nothing and is to be repeated with a larger unit of time.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "validate/servers/compared_server.hpp"
#include "validate/servers/model_walk.hpp"

namespace lockkeeper::databases {

// The real length of the timers of one waiting statement, in units of `timer_unit`; 0: never.
struct Timers {
    unsigned check = 0;    // looks for a deadlock
    unsigned timeout = 0;  // gives up
};

// The latest statement of one caller.
struct Observed {
    Status status = Status::kNone;
    std::string error;
    std::string tag;
    std::string value;            // first value of the first row
    std::string lock_error;       // of the latest lock statement that failed
    std::string said;             // code and message of an error
    bool token_repeated = false;  // leases: the insert's is not larger than all before it
};

// The server, seen from outside of all sessions of callers.
struct LeaseView {
    bool there = false;              // committed
    std::size_t acquisition = 0;     // of all that ever got a row, in their order, from 1
    std::int64_t expires = 0;        // since the beginning
    bool changing = false;           // of the model: inserted or deleted, not committed
    bool locked = false;             // of the model: somebody else looks at it, FOR SHARE
    bool expired = false;            // the server says so, by its clock
    std::vector<std::string> calls;  // states of the key's call and its retry, as committed
};

struct ServerView {
    std::vector<std::int64_t> versions;  // by key; -1: not asked
    std::vector<std::int64_t> lines;     // PostgreSQL: granted and waiting, by key; -1: not asked
    std::vector<std::int64_t> rows;      // InnoDB: whether the row is there; -1: not asked
    std::vector<LeaseView> leases;       // by key, where the subject is one of leases
};

class ServerClients {
  public:
    // `others`: sessions beside those of callers, numbered after them.
    ServerClients(const Subject& subject, PrivateServer& server, std::size_t others = 0);
    ServerClients(const ServerClients&) = delete;
    ServerClients& operator=(const ServerClients&) = delete;
    virtual ~ServerClients() = default;

    void reset(std::chrono::milliseconds timer_unit);
    void perform(const Advance& done, const std::string& error, Timers timers);
    // Until each statement is answered or waits for a lock.
    void settle();
    // Until each waiting statement has looked for a deadlock, if it ever does.
    void outwait();
    [[nodiscard]] virtual ServerView look();
    [[nodiscard]] virtual Observed observed(std::size_t caller) const;
    // The step's answer to a client that is in no call: the answer to a renewal.
    [[nodiscard]] virtual Observed told(const Advance&) const { return {}; }
    [[nodiscard]] bool deletes() const;
    // Statements sent since the latest reset, "A: BEGIN".
    [[nodiscard]] const std::vector<std::string>& statements() const { return statements_; }
    void end() noexcept;

  protected:
    using Clock = std::chrono::steady_clock;
    // A block ends with nothing, or with its savepoint. kAnew: it needs its own transaction.
    enum class Block : std::uint8_t { kJoined, kGuarded, kAnew };
    struct Savepoint {
        std::string name;
        bool guards = false;  // a block, whose end names it; the script does not
        std::uint32_t written_before = 0;
    };
    struct Client {
        std::unique_ptr<Connection> connection;
        bool lost = false;
        bool cut = false;  // ... and the client knows; the server may not
        bool dead = false;
        bool in_transaction = false;
        bool aborted = false;               // PostgreSQL
        std::vector<Block> blocks;          // open ones
        std::uint32_t written = 0;          // keys, in this transaction
        std::vector<Savepoint> savepoints;  // in the order in which they were set
        Step statement = Step::kNothing;
        bool outstanding = false;
        std::optional<Answer> answer;  // of the latest statement
        std::string lock_error;
        std::string transaction_id;
        Clock::time_point sent;
        Timers timers;           // those that the schedule has not had yet
        std::size_t pooled = 0;  // connection of the pool plus 1
    };

    // Sends the statements of a caller's step.
    virtual void step(std::size_t caller, const Advance& done, const std::string& error) = 0;

    [[nodiscard]] const Subject& subject() const { return subject_; }
    [[nodiscard]] Client& client(std::size_t caller) { return clients_[caller]; }
    [[nodiscard]] const Client& client(std::size_t caller) const { return clients_[caller]; }
    // The caller's name in `statements`.
    [[nodiscard]] virtual std::string label(std::size_t caller) const;
    [[nodiscard]] bool is_pg() const { return subject_.engine == Engine::kPostgresql; }
    [[nodiscard]] std::string id_of(std::size_t key) const { return ids_[key]; }
    [[nodiscard]] std::string name_of_database(std::size_t database) const;
    [[nodiscard]] std::unique_ptr<Connection> connect_for(std::size_t caller);
    // Sends, and waits for the answer only as settle() does.
    void send(std::size_t caller, Step statement, const std::string& sql);
    // Sends and has the answer: a statement that waits for no lock. False: it failed.
    bool run(std::size_t caller, Step statement, const std::string& sql);
    // Beside the statement whose answer counts; waits for no lock.
    Answer ask(std::size_t caller, const std::string& sql);
    // InnoDB, repaired: on a connection of its own.
    void row_first(std::size_t caller, std::size_t key);
    void set_timers(std::size_t caller, Timers timers);
    [[nodiscard]] Timers timers() const { return now_; }
    void forget_connection(Client& who);
    virtual void answered(std::size_t caller);
    // The tables, as a run finds them.
    virtual void prepare();
    void make_database(std::size_t database);
    // Takes a step that is no caller's.
    virtual void background(const Advance& done);
    virtual void on_end() noexcept {}
    void end_session(Client& who) noexcept;
    [[nodiscard]] PrivateServer& server() { return server_; }
    [[nodiscard]] Connection& monitor() { return *monitor_; }
    virtual void crash(std::size_t caller);
    // The caller has lost its connection; the session is client `caller` + number of callers.
    void leave_session_behind(std::size_t caller);
    // A client that does so: in its block, in no transaction.
    void reconnect_in_block(std::size_t caller);
    // ... with this step. Blocks and error are those of before.
    void told_of_loss(std::size_t caller, Step step, const std::vector<Block>& blocks,
                      const std::string& lock_error);

  private:
    void await_timer(std::size_t caller, bool looks);
    void by_itself(std::size_t caller, const ModelStep& step);
    void refuse_slowness() const;
    bool collect(int milliseconds);
    void make_tables();
    void compute_ids();

    const Subject& subject_;
    PrivateServer& server_;
    std::unique_ptr<Connection> monitor_;
    std::vector<Client> clients_;
    std::vector<std::string> ids_;
    std::vector<std::string> statements_;
    std::chrono::milliseconds unit_{150};
    Timers now_;
};

// For a scenario of transactional_pg, transactional_innodb, the pooled systems, or lease_db.
[[nodiscard]] std::unique_ptr<ServerClients> make_clients(const Subject& subject,
                                                          PrivateServer& server);
// These two make two of the kinds of clients.
[[nodiscard]] std::unique_ptr<ServerClients> make_pooled_clients(const Subject& subject,
                                                                 PrivateServer& server);
[[nodiscard]] std::unique_ptr<ServerClients> make_lease_clients(const Subject& subject,
                                                                PrivateServer& server);

}  // namespace lockkeeper::databases
