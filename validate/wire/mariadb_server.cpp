// SPDX-License-Identifier: Apache-2.0

// A private MariaDB with the harness's clock, put back whole between runs (mariadb_tables.hpp).
// What its sessions wait for (locks of rows, tables and names, SLEEP) ends when the harness says
// so.
#include "validate/wire/mariadb_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "validate/outside/misbehaviour.hpp"
#include "validate/servers/private_server.hpp"
#include "validate/wire/mariadb_tables.hpp"
#include "validate/wire/patient_connection.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/task_states.hpp"

namespace lockkeeper::wire {
namespace {

using databases::PrivateServer;

constexpr std::uint16_t kMariadbPort = 3306;
// At once, while it starts or ends. Its timers that are never to end lie in 2038.
constexpr std::int64_t kPassesMax = 60'000'000'000;
constexpr const char* kOfCallers = "lockkeeper";  // their database

class MariadbServer final : public HeldServer {
  public:
    explicit MariadbServer(SharedMemory& memory) : memory_(memory) {
        // The server's user has to get at two files in it, and at nothing else.
        if (geteuid() == 0 && chmod(memory.directory().c_str(), 0711) != 0) {
            throw ServerError("chmod " + memory.directory());
        }
        // A disk that is asked by the kernel's own threads is no state of a thread of the server.
        auto started = PrivateServer::start(
            databases::Engine::kMariadb, 60,
            {memory.variables(LOCKKEEPER_WIRE_SERVER),
             memory.files(),
             {"--innodb-use-native-aio=0", "--local-infile=0", "--skip-ssl",
              // A thread of an earlier session would go on with its numbers of statements.
              "--thread-cache-size=0", "--plugin-load-add=metadata_lock_info",
              "--character-set-server=utf8mb4"},
             [this] { let_time_pass(); }});
        if (const auto* none = std::get_if<databases::NoServer>(&started)) {
            throw ServerError("mariadb: " + none->reason);
        }
        server_ = std::get<std::unique_ptr<PrivateServer>>(std::move(started));
        static_cast<void>(
            server_->connect()->require(std::string("CREATE DATABASE ") + kOfCallers));
        keep();
    }

    [[nodiscard]] std::string socket_path() const override {
        return server_->directory() + "/socket";
    }
    [[nodiscard]] std::uint16_t port() const override { return kMariadbPort; }
    [[nodiscard]] std::vector<std::string> variables() const override {
        const std::string port = std::to_string(kMariadbPort);
        return {"MYSQL_HOST=127.0.0.1",
                "MYSQL_PORT=" + port,
                "MYSQL_TCP_PORT=" + port,
                "MYSQL_USER=root",
                "MYSQL_PWD=",
                std::string("MYSQL_DATABASE=") + kOfCallers};
    }
    // All of its threads are asleep, and time stands: whoever has no answer waits for others.
    [[nodiscard]] bool waits(const Connection& /*connection*/) override {
        return tasks_.all_sleep({server_->pid()});
    }
    [[nodiscard]] std::vector<pid_t> processes(const Connection& /*connection*/) const override {
        return {server_->pid()};
    }
    // Those of the thread that serves this session.
    [[nodiscard]] std::vector<Sleeper> sleepers(const Connection& connection) const override {
        const pid_t thread = thread_of(connection.session);
        std::vector<Sleeper> out = memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER, server_->pid());
        std::erase_if(out, [&](const Sleeper& sleeper) {
            return memory_->slots[sleeper.slot].tid != thread;
        });
        return out;
    }
    void upstream_ended(const Connection& /*connection*/) override {
        if (tasks_.has_ended(server_->pid())) {
            throw Misbehaved(Misbehaviour::kDied, "the server has ended");
        }
    }
    void closed(const Connection& connection) override {
        if (connection.session != 0) {
            server_->kill(*monitor_, connection.session);
            threads_.erase(connection.session);
        }
    }
    void reset() override {
        const std::int64_t now = memory_.now();
        if (!tables_->put_back()) {
            leave();
            server_->put_data_back();
            come_back();
        }
        memory_.set_now(now);
    }
    void keep() override {
        leave();
        server_->keep_data();
        come_back();
    }
    void add_script(const std::string& /*body*/) override {}
    [[nodiscard]] std::vector<KeyState> keys() override {
        std::vector<KeyState> out;
        const auto answer = monitor_->run(
            "SELECT TABLE_SCHEMA, LOCK_MODE FROM "
            "information_schema.METADATA_LOCK_INFO WHERE LOCK_TYPE = 'User lock' "
            "ORDER BY 1, 2");
        for (const auto& row : answer.rows) {
            out.push_back({"user lock " + row[0], row[1], row[1], -1});
        }
        return out;
    }
    // Rows of tables are not among them.
    [[nodiscard]] bool shows_all() const override { return tables_->is_untouched(); }
    void restore(const std::vector<KeyState>& /*keys*/) override {
        throw ServerError("mariadb does not fail over here");
    }
    void forget_scripts() override {}

  private:
    void leave() {
        left_at_ = memory_.now();
        tables_.reset();
        own_.reset();
        monitor_.reset();
        threads_.clear();
    }
    void come_back() {
        monitor_ = patient();
        own_ = patient();
        tables_ = std::make_unique<MariadbTables>(*own_);
        memory_.set_now(left_at_);
    }
    [[nodiscard]] std::unique_ptr<databases::Connection> patient() {
        return std::make_unique<PatientConnection>(
            server_->connect(), [this] { return tasks_.all_sleep({server_->pid()}); },
            [this] { let_time_pass(); });
    }
    // Nobody is there who could wait for its start, or its end, so the time passes.
    void let_time_pass() {
        const std::vector<Sleeper> sleepers = memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER);
        if (!sleepers.empty() && sleepers.front().until <= memory_.now() + kPassesMax) {
            memory_.set_now(std::max(memory_.now(), sleepers.front().until));
            memory_.fire(sleepers.front().slot);
        }
    }
    [[nodiscard]] pid_t thread_of(std::uint64_t session) const {
        const auto known = threads_.find(session);
        if (known != threads_.end()) {
            return known->second;
        }
        const auto answer = monitor_->require(
            "SELECT TID FROM information_schema.PROCESSLIST WHERE ID = " + std::to_string(session));
        const pid_t thread = answer.rows.empty() ? 0 : std::atoi(answer.value().c_str());
        return threads_[session] = thread;
    }

    SharedMemory& memory_;
    TaskStates tasks_;
    std::unique_ptr<PrivateServer> server_;
    std::unique_ptr<databases::Connection> monitor_;
    std::unique_ptr<databases::Connection> own_;
    std::unique_ptr<MariadbTables> tables_;
    mutable std::map<std::uint64_t, pid_t> threads_;  // by session
    std::int64_t left_at_ = kBeginning;
};

}  // namespace

std::unique_ptr<HeldServer> start_mariadb(SharedMemory& memory) {
    return std::make_unique<MariadbServer>(memory);
}

}  // namespace lockkeeper::wire
