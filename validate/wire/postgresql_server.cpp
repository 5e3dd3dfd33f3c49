// SPDX-License-Identifier: Apache-2.0

// A private PostgreSQL with the harness's clock, put back whole between runs (postgresql_rows.hpp).
// Its sessions' time-outs (lock_timeout, deadlock_timeout, statement_timeout, pg_sleep) end when
// the harness says so.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "validate/outside/misbehaviour.hpp"
#include "validate/servers/private_server.hpp"
#include "validate/wire/mariadb_server.hpp"
#include "validate/wire/postgresql_pool.hpp"
#include "validate/wire/postgresql_rows.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/redis_server.hpp"
#include "validate/wire/task_states.hpp"

namespace lockkeeper::wire {
namespace {

using databases::PrivateServer;

constexpr std::uint16_t kPostgresqlPort = 5432;
constexpr const char* kDatabase = "postgres";
constexpr const char* kMonitor = "lockkeeper";

class PostgresqlServer final : public BehindPool {
  public:
    explicit PostgresqlServer(SharedMemory& memory) : memory_(memory) {
        // The server's user has to get at two files in it, and at nothing else.
        if (geteuid() == 0 && chmod(memory.directory().c_str(), 0711) != 0) {
            throw ServerError("chmod " + memory.directory());
        }
        auto started =
            PrivateServer::start(databases::Engine::kPostgresql, 60,
                                 {memory.variables(LOCKKEEPER_WIRE_SERVER), memory.files()});
        if (const auto* none = std::get_if<databases::NoServer>(&started)) {
            throw ServerError("postgresql: " + none->reason);
        }
        server_ = std::get<std::unique_ptr<PrivateServer>>(std::move(started));
        static_cast<void>(server_->connect()->require(std::string("CREATE DATABASE ") + kMonitor));
        // Where it is not installed, all changes are more than rows.
        static_cast<void>(server_->connect(kMonitor)->run("CREATE EXTENSION pg_walinspect"));
        keep();
    }

    [[nodiscard]] std::string socket_path() const override {
        return server_->directory() + "/.s.PGSQL." + std::to_string(kPostgresqlPort);
    }
    [[nodiscard]] std::uint16_t port() const override { return kPostgresqlPort; }
    [[nodiscard]] std::vector<std::string> variables() const override {
        return {"PGHOST=127.0.0.1",
                "PGPORT=" + std::to_string(kPostgresqlPort),
                "PGUSER=" + ask("SELECT current_user").value(),
                std::string("PGDATABASE=") + kDatabase,
                "PGSSLMODE=disable",
                "PGGSSENCMODE=disable"};
    }
    // Others see it in the queue of a lock before it has set the alarm that ends its wait.
    [[nodiscard]] bool waits(const Connection& connection) override {
        return connection.session != 0 &&
               !server_->waiting(*monitor_, {connection.session}).empty() && rests(connection);
    }
    [[nodiscard]] bool rests(const Connection& connection) override {
        return tasks_.all_sleep({static_cast<pid_t>(connection.session)});
    }
    [[nodiscard]] bool all_rest() override { return tasks_.all_sleep({server_->pid()}); }
    [[nodiscard]] std::vector<pid_t> processes(const Connection& connection) const override {
        return connection.session == 0 ? std::vector<pid_t>()
                                       : std::vector<pid_t>{static_cast<pid_t>(connection.session)};
    }
    [[nodiscard]] std::vector<Sleeper> sleepers(const Connection& connection) const override {
        return memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER, static_cast<pid_t>(connection.session));
    }
    void closed(const Connection& connection) override {
        if (connection.session != 0) {
            server_->kill(*monitor_, connection.session);
            tasks_.forget(static_cast<pid_t>(connection.session));
        }
    }
    void reset() override {
        if (!rows_->put_back()) {
            leave();
            server_->put_data_back();
            come_back();
        }
    }
    void keep() override {
        leave();
        server_->keep_data();
        come_back();
    }
    void add_script(const std::string& /*body*/) override {}
    [[nodiscard]] std::vector<KeyState> keys() override {
        std::vector<KeyState> out;
        const auto answer =
            ask("SELECT classid::text || '/' || objid::text, mode, granted FROM pg_locks WHERE "
                "locktype = 'advisory' ORDER BY 1, 3 DESC, 2");
        for (const auto& row : answer.rows) {
            out.push_back({"advisory " + row[0], row[1] + (row[2] == "t" ? "" : " (waited for)"),
                           row[2], -1});
        }
        return out;
    }
    // Rows of tables are not among them.
    [[nodiscard]] bool shows_all() const override { return rows_->is_untouched(); }
    void restore(const std::vector<KeyState>& /*keys*/) override {
        throw ServerError("postgresql does not fail over here");
    }
    void forget_scripts() override {}
    // A caller may end the session of another one.
    void upstream_ended(const Connection& /*connection*/) override {
        if (tasks_.has_ended(server_->pid())) {
            throw Misbehaved(Misbehaviour::kDied, "the server has ended");
        }
    }

    [[nodiscard]] pid_t root() const override { return server_->pid(); }
    [[nodiscard]] std::string directory() const override { return server_->directory(); }
    [[nodiscard]] std::vector<pid_t> sessions() const override {
        std::vector<pid_t> out;
        const auto answer = ask(fmt::format(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid NOT IN "
            "({}, {})",
            monitor_->id(), own_->id()));
        for (const auto& row : answer.rows) {
            out.push_back(std::atoi(row[0].c_str()));
        }
        return out;
    }
    void end_sessions() override {
        for (const pid_t session : sessions()) {
            server_->kill(*monitor_, static_cast<std::uint64_t>(session));
            tasks_.forget(session);
        }
    }

  private:
    void leave() {
        rows_.reset();
        own_.reset();
        monitor_.reset();
    }
    void come_back() {
        monitor_ = server_->connect(kMonitor);
        own_ = server_->connect(kDatabase);
        rows_ = std::make_unique<PostgresqlRows>(*monitor_, *own_);
    }
    [[nodiscard]] databases::Answer ask(const std::string& sql) const {
        databases::Answer answer = monitor_->run(sql);
        if (!answer.ok()) {
            throw ServerError("postgresql: " + answer.message);
        }
        return answer;
    }

    SharedMemory& memory_;
    TaskStates tasks_;
    std::unique_ptr<PrivateServer> server_;
    std::unique_ptr<databases::Connection> monitor_;  // in a database of its own
    std::unique_ptr<databases::Connection> own_;      // in that of the callers
    std::unique_ptr<PostgresqlRows> rows_;
};

}  // namespace

std::unique_ptr<BehindPool> start_postgresql(SharedMemory& memory) {
    return std::make_unique<PostgresqlServer>(memory);
}

std::unique_ptr<HeldServer> start_server(ServerKind kind, SharedMemory& memory, std::size_t number,
                                         bool is_replica) {
    try {
        if (kind == ServerKind::kRedis) {
            return std::make_unique<RedisServer>(memory, number, is_replica);
        }
        return kind == ServerKind::kMariadb ? start_mariadb(memory) : start_postgresql(memory);
    } catch (const databases::DatabaseError& error) {
        throw ServerError(error.what());
    }
}

}  // namespace lockkeeper::wire
