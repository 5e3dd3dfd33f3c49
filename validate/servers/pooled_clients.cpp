// SPDX-License-Identifier: Apache-2.0

// The baselines on PostgreSQL: callers that take a connection from a pool, lock with one statement,
// and put the connection back.
#include <algorithm>

#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {
namespace {

class PooledClients final : public ServerClients {
  public:
    PooledClients(const Subject& subject, PrivateServer& server)
        : ServerClients(subject, server),
          pool_(subject.connections),
          blocks_(subject.clients.size()),
          others_(subject.clients.size()) {}

  private:
    struct Session {
        std::unique_ptr<Connection> connection;
        bool in_use = false;
    };

    void step(std::size_t caller, const Advance& done, const std::string&) override {
        switch (done.step.step) {
            case Step::kCheckOut: client(caller).answer.reset(); return check_out(caller);
            case Step::kPooledLock: return lock(caller, done.event.key);
            case Step::kUnlock: return unlock(caller, done.event.key);
            case Step::kInnerEnd: end_block(caller); break;
            case Step::kPutBack: return put_back(caller);
            case Step::kCheckOutOther: check_out_other(caller); break;
            case Step::kPutBackOther: put_back_other(caller); break;
            default: break;
        }
        client(caller).answer.reset();
    }
    // A try that got nothing gives its connection back at once, outside of any block.
    void answered(std::size_t caller) override {
        Client& who = client(caller);
        if (who.statement != Step::kPooledLock || !who.answer->ok()) {
            return;
        }
        const bool refused = subject().clients[caller].tries && who.answer->value() == "f";
        blocks_[caller] += refused ? 0 : 1;
        if (refused && blocks_[caller] == 0) {
            const Answer answer = *who.answer;
            put_back(caller);
            who.answer = answer;
        }
    }
    // The process has gone, its connections are closed, the pool opens others.
    void crash(std::size_t caller) override {
        Client& who = client(caller);
        if (others_[caller] != 0) {
            Client other;
            other.connection = std::move(pool_[others_[caller] - 1].connection);
            end_session(other);
            pool_[others_[caller] - 1] = {};
            others_[caller] = 0;
        }
        const std::size_t at = who.pooled;
        end_session(who);
        who.dead = true;
        if (at != 0) {
            pool_[at - 1] = {};
        }
    }
    void on_end() noexcept override {
        for (Session& session : pool_) {
            Client idle;
            idle.connection = std::move(session.connection);
            end_session(idle);
            session = {};
        }
    }

    void check_out(std::size_t caller) {
        Client& who = client(caller);
        for (std::size_t at = 0; at < pool_.size() && who.pooled == 0; ++at) {
            Session& session = pool_[at];
            if (!session.in_use) {
                session.in_use = true;
                who.connection = session.connection ? std::move(session.connection)
                                                    : server().connect(name_of_database(0));
                who.pooled = at + 1;
            }
        }
    }
    void lock(std::size_t caller, std::size_t key) {
        Client& who = client(caller);
        const SubjectClient& configured = subject().clients[caller];
        if (!configured.session_level && !who.in_transaction) {
            who.in_transaction = run(caller, Step::kBegin, "BEGIN");
        }
        set_timers(caller, {});  // the pool's model looks for no deadlocks
        const std::string level = configured.session_level ? "lock(" : "xact_lock(";
        send(caller, Step::kPooledLock,
             std::string("SELECT pg_") + (configured.tries ? "try_" : "") + "advisory_" + level +
                 id_of(key) + ")");
    }
    void end_block(std::size_t caller) { blocks_[caller] -= blocks_[caller] > 0 ? 1 : 0; }
    void unlock(std::size_t caller, std::size_t key) {
        Client& who = client(caller);
        who.answer.reset();
        end_block(caller);
        if (who.pooled == 0) {
            return;
        }
        if (subject().clients[caller].session_level) {
            (void)run(caller, Step::kUnlock, "SELECT pg_advisory_unlock(" + id_of(key) + ")");
        } else if (run(caller, Step::kUnlock, "COMMIT")) {
            who.in_transaction = false;
        }
    }
    // The pool rolls back the open transaction of a returned connection. It does not reset the
    // session, unless it is repaired.
    void put_back(std::size_t caller) {
        Client& who = client(caller);
        if (who.pooled == 0) {
            return;
        }
        if (who.in_transaction) {
            (void)who.connection->run("ROLLBACK");
        }
        if (subject().has("reset_on_return")) {
            (void)who.connection->run("DISCARD ALL");
        }
        pool_[who.pooled - 1] = {std::move(who.connection), false};
        who.in_transaction = false;
        who.pooled = 0;
        blocks_[caller] = 0;
        who.answer.reset();
    }
    void check_out_other(std::size_t caller) {
        for (std::size_t at = 0; at < pool_.size() && others_[caller] == 0; ++at) {
            Session& session = pool_[at];
            if (session.in_use) {
                continue;
            }
            session.in_use = true;
            others_[caller] = at + 1;
            if (!session.connection) {
                session.connection = server().connect(name_of_database(0));
            }
            (void)session.connection->run("SELECT 1");
        }
    }
    void put_back_other(std::size_t caller) {
        if (others_[caller] == 0) {
            return;
        }
        Session& session = pool_[others_[caller] - 1];
        if (subject().has("reset_on_return")) {
            (void)session.connection->run("DISCARD ALL");
        }
        session.in_use = false;
        others_[caller] = 0;
    }

    std::vector<Session> pool_;
    std::vector<std::size_t> blocks_;  // of each caller, inside of each other
    // By caller: the connection that it has beside its own, plus 1.
    std::vector<std::size_t> others_;
};

}  // namespace

std::unique_ptr<ServerClients> make_pooled_clients(const Subject& subject, PrivateServer& server) {
    return std::make_unique<PooledClients>(subject, server);
}

}  // namespace lockkeeper::databases
