// SPDX-License-Identifier: Apache-2.0

// Private servers and what they do: adapters, the locks of the seed as SQL, session-level locks as
// the bad example, the database leaser. Few TESTs: each is a process that starts a server. Where no
// server can be started the test is skipped and says why.
#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "model/missing_test.hpp"
#include "validate/servers/leaser.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper::databases {
namespace {

// The leaser's statements, one after the other.
LeaseResult acquire(Connection& connection, Lease& lease) {
    if (is_refused(lease)) {
        return LeaseResult::kRefused;
    }
    const Answer answer = connection.run(acquire_sql(lease));
    lease.token = answer.ok() ? answer.value() : "";
    return result_of_acquire(answer);
}
LeaseResult renew(Connection& connection, const Lease& lease) {
    connection.require("SET statement_timeout = " + std::to_string(lease.ttl.count() / 2));
    const LeaseResult result = result_of_change(connection.run(renew_sql(lease)));
    connection.require("SET statement_timeout = 0");
    return result;
}
LeaseResult release(Connection& connection, const Lease& lease) {
    return result_of_change(connection.run(release_sql(lease)));
}
std::size_t reap(Connection& connection) { return connection.require(reap_sql()).rows.size(); }

// One server of each kind for all tests of a process.
std::variant<std::unique_ptr<PrivateServer>, NoServer>& server_of(Engine engine) {
    static std::map<Engine, std::variant<std::unique_ptr<PrivateServer>, NoServer>> servers;
    const auto found = servers.find(engine);
    return found != servers.end()
               ? found->second
               : servers.emplace(engine, PrivateServer::start(engine)).first->second;
}

class Servers : public ::testing::Test {
  protected:
    // Null: the test has been marked as skipped.
    static PrivateServer* start(Engine engine) {
        auto& started = server_of(engine);
        auto* server = std::get_if<std::unique_ptr<PrivateServer>>(&started);
        return server == nullptr ? nullptr : server->get();
    }
    static std::string reason(Engine engine) {
        return std::get<NoServer>(server_of(engine)).reason;
    }
    static bool waits(PrivateServer& server, Connection& monitor, Connection& who) {
        for (int look = 0; look < 2000; ++look) {
            if (!server.waiting(monitor, {who.id()}).empty()) {
                return true;
            }
            if (who.poll(1)) {
                return false;
            }
        }
        return false;
    }
    static Answer finish(Connection& who) {
        for (int look = 0; look < 200; ++look) {
            if (auto answer = who.poll(100)) {
                return *answer;
            }
        }
        ADD_FAILURE() << "no answer";
        return {};
    }
    static void insert_that_waited_commits_late(PrivateServer& server, Connection& monitor);
    static void renewal_is_cut_by_the_server(PrivateServer& server, Connection& monitor);
};

// An insert that waited for another goes on when that is rolled back, but is not committed: a later
// one waits for it, nobody sees its row, and its time is that of its own beginning.
void Servers::insert_that_waited_commits_late(PrivateServer& server, Connection& monitor) {
    const auto a = server.connect();
    const auto b = server.connect();
    const auto c = server.connect();
    const Lease lease{"late", "", std::chrono::seconds(5)};
    a->require("BEGIN");
    a->require(acquire_sql(lease));
    b->require("BEGIN");
    const std::string began = b->require("SELECT transaction_timestamp()").value();
    b->send(acquire_sql(lease));
    EXPECT_TRUE(waits(server, monitor, *b));
    a->require("ROLLBACK");
    const Answer inserted = finish(*b);
    EXPECT_EQ(LeaseResult::kOk, result_of_acquire(inserted));
    c->send(acquire_sql(lease));
    EXPECT_TRUE(waits(server, monitor, *c));
    const std::string row = "SELECT expires_at - interval '5 seconds', token FROM leases" +
                            std::string(" WHERE key = 'late'");
    EXPECT_TRUE(monitor.require(row).rows.empty());
    b->require("COMMIT");
    EXPECT_EQ(LeaseResult::kConflict, result_of_acquire(finish(*c)));
    EXPECT_EQ((std::vector<std::string>{began, inserted.value()}), monitor.require(row).rows.at(0));
    // The same, and the connection ends before the COMMIT: the next one in line gets the key.
    a->require("BEGIN");
    a->require("DELETE FROM leases WHERE key = 'late'");
    b->require("BEGIN");
    b->send(acquire_sql(lease));
    EXPECT_TRUE(waits(server, monitor, *b));
    a->require("COMMIT");
    EXPECT_EQ(LeaseResult::kOk, result_of_acquire(finish(*b)));
    c->send(acquire_sql(lease));
    EXPECT_TRUE(waits(server, monitor, *c));
    monitor.require("SELECT pg_terminate_backend(" + std::to_string(b->id()) + ")");
    EXPECT_EQ(LeaseResult::kOk, result_of_acquire(finish(*c)));
}

// The statement time-out of a renewal is the server's own: half of the ttl, then nothing has
// happened, and the session goes on.
void Servers::renewal_is_cut_by_the_server(PrivateServer& server, Connection& monitor) {
    const auto a = server.connect();
    const auto b = server.connect();
    Lease lease{"cut", "", std::chrono::seconds(5)};
    ASSERT_EQ(LeaseResult::kOk, acquire(*b, lease));
    const std::string until = "SELECT expires_at FROM leases WHERE key = 'cut'";
    const std::string before = monitor.require(until).value();
    a->require("BEGIN");
    a->require(release_sql(lease));
    EXPECT_EQ(LeaseResult::kFailed, renew(*b, lease));
    EXPECT_EQ("57014", b->run("SET statement_timeout = 100; " + renew_sql(lease)).code);
    b->require("SET statement_timeout = 0");
    a->require("ROLLBACK");
    EXPECT_EQ(before, monitor.require(until).value());
    EXPECT_EQ(LeaseResult::kOk, renew(*b, lease));
    EXPECT_NE(before, monitor.require(until).value());
}

TEST_F(Servers, postgresql_locks_as_the_seed_says) {
    PrivateServer* server = start(Engine::kPostgresql);
    if (server == nullptr) {
        SKIP_FOR_LACK_OF(reason(Engine::kPostgresql));
    }
    const auto monitor = server->connect();
    const auto a = server->connect();
    const auto b = server->connect();
    const std::string lock = "SELECT pg_advisory_xact_lock(7)";
    a->require("BEGIN");
    a->require(lock);
    a->require(lock);  // re-entrant
    b->require("BEGIN");
    b->send(lock);
    EXPECT_TRUE(waits(*server, *monitor, *b));
    EXPECT_TRUE(server->waiting(*monitor, {a->id()}).empty());
    // An error frees at once, before any ROLLBACK; later statements fail, and COMMIT is a
    // roll-back.
    EXPECT_EQ(Failure::kStatementFailed, a->run("SELECT 1 / 0").failure);
    EXPECT_TRUE(finish(*b).ok());
    EXPECT_EQ(Failure::kInFailedTransaction, a->run("SELECT 1").failure);
    EXPECT_EQ("ROLLBACK", a->run("COMMIT").tag);
    EXPECT_EQ("COMMIT", b->run("COMMIT").tag);

    // A deadlock: the one whose look comes first is the victim.
    a->require("SET deadlock_timeout = '10min'");
    b->require("SET deadlock_timeout = 1");
    a->require("BEGIN");
    b->require("BEGIN");
    a->require("SELECT pg_advisory_xact_lock(1)");
    b->require("SELECT pg_advisory_xact_lock(2)");
    a->send("SELECT pg_advisory_xact_lock(2)");
    ASSERT_TRUE(waits(*server, *monitor, *a));
    EXPECT_EQ(Failure::kDeadlock, b->run("SELECT pg_advisory_xact_lock(1)").failure);
    EXPECT_TRUE(finish(*a).ok());
    a->require("COMMIT");
    b->require("ROLLBACK");

    // A lock time-out, and a killed session whose lock is free when kill returns.
    a->require("BEGIN");
    a->require(lock);
    b->require("SET lock_timeout = 1");
    EXPECT_EQ(Failure::kLockTimeout, b->run(lock).failure);
    b->require("SET lock_timeout = 0");
    server->kill(*monitor, a->id());
    EXPECT_TRUE(b->run(lock).ok());
    EXPECT_EQ(Failure::kConnectionLost, a->run("SELECT 1").failure);
    EXPECT_EQ(Failure::kConnectionLost, a->run("SELECT 1").failure);

    // A server that crashes loses all locks, and keeps all that was committed.
    b->require("CREATE TABLE kept (id int)");
    server->crash_and_restart();
    EXPECT_EQ(Failure::kConnectionLost, b->run("SELECT 1").failure);
    EXPECT_EQ("0", server->connect()->require("SELECT count(*) FROM kept").value());
}

TEST_F(Servers, mariadb_locks_as_the_seed_says) {
    PrivateServer* server = start(Engine::kMariadb);
    if (server == nullptr) {
        SKIP_FOR_LACK_OF(reason(Engine::kMariadb));
    }
    const auto monitor = server->connect();
    monitor->require("CREATE DATABASE seed");
    const auto a = server->connect("seed");
    const auto b = server->connect("seed");
    a->require(
        "CREATE TABLE locks (lock_id BIGINT NOT NULL, UNIQUE INDEX (lock_id)) ENGINE=InnoDB");
    const auto lock = [](int id) {
        return "INSERT INTO locks VALUES (" + std::to_string(id) +
               ") ON DUPLICATE KEY UPDATE lock_id = lock_id";
    };
    a->require("START TRANSACTION");
    a->require(lock(1));
    b->require("START TRANSACTION");
    b->require(lock(2));
    b->send(lock(1));
    EXPECT_TRUE(waits(*server, *monitor, *b));
    // An ordinary error frees nothing.
    EXPECT_EQ(Failure::kStatementFailed, a->run("SELECT * FROM nowhere").failure);
    EXPECT_TRUE(waits(*server, *monitor, *b));
    // Whoever closes the cycle is told at once, and its whole transaction is gone.
    EXPECT_EQ(Failure::kDeadlock, a->run(lock(2)).failure);
    EXPECT_TRUE(finish(*b).ok());
    // Too long: only the statement.
    a->require("SET innodb_lock_wait_timeout = 0");
    a->require("START TRANSACTION");
    a->require(lock(3));
    EXPECT_EQ(Failure::kLockTimeout, a->run(lock(1)).failure);
    a->require("COMMIT");
    EXPECT_EQ("1", a->require("SELECT count(*) FROM locks WHERE lock_id = 3").value());
    server->kill(*monitor, b->id());
    EXPECT_TRUE(a->run(lock(1)).ok());
    EXPECT_EQ(Failure::kConnectionLost, b->run("SELECT 1").failure);
    a->require("COMMIT");
    server->crash_and_restart();
    EXPECT_EQ("2", server->connect("seed")->require("SELECT count(*) FROM locks").value());
}

// The bad example of the seed: a session-level lock outlives its block on a pooled connection; the
// transaction-level lock of the same block does not.
TEST_F(Servers, session_level_locks_leak_into_the_pool) {
    PrivateServer* server = start(Engine::kPostgresql);
    if (server == nullptr) {
        SKIP_FOR_LACK_OF(reason(Engine::kPostgresql));
    }
    const auto monitor = server->connect();
    const auto pooled = server->connect();
    const auto other = server->connect();
    const auto block_that_fails = [&](const std::string& lock) {
        pooled->require("BEGIN");
        pooled->require("SELECT " + lock + "(9)");
        EXPECT_FALSE(pooled->run("SELECT 1 / 0").ok());
        pooled->require("ROLLBACK");  // what a pool does with what comes back
    };
    block_that_fails("pg_advisory_xact_lock");
    EXPECT_EQ("t", other->require("SELECT pg_try_advisory_lock(9)").value());
    other->require("SELECT pg_advisory_unlock(9)");
    block_that_fails("pg_advisory_lock");
    EXPECT_EQ("f", other->require("SELECT pg_try_advisory_lock(9)").value());
    other->send("SELECT pg_advisory_xact_lock(9)");
    EXPECT_TRUE(waits(*server, *monitor, *other));  // both levels exclude each other
    pooled->require("DISCARD ALL");
    EXPECT_TRUE(finish(*other).ok());
}

TEST_F(Servers, database_leaser_does_what_its_steps_say) {
    PrivateServer* server = start(Engine::kPostgresql);
    if (server == nullptr) {
        SKIP_FOR_LACK_OF(reason(Engine::kPostgresql));
    }
    const auto monitor = server->connect();
    const auto a = server->connect();
    const auto b = server->connect();
    const auto expire = [&](const char* by) {
        monitor->require(std::string("UPDATE leases SET expires_at = now() - interval '") + by +
                         "'");
    };
    create_lease_table(*a);
    Lease tooshort{"job", "", std::chrono::seconds(1)};
    EXPECT_EQ(LeaseResult::kRefused, acquire(*a, tooshort));
    Lease first{"it's a key", "", std::chrono::seconds(5)};
    Lease second = first;
    ASSERT_EQ(LeaseResult::kOk, acquire(*a, first));
    EXPECT_EQ(LeaseResult::kConflict, acquire(*b, second));
    EXPECT_EQ(LeaseResult::kOk, renew(*a, first));
    EXPECT_EQ(0U, reap(*b));  // a live lease is left alone

    // Expired and not reaped: still a conflict, and a renewal revives it.
    expire("1 second");
    EXPECT_EQ(LeaseResult::kConflict, acquire(*b, second));
    EXPECT_EQ(LeaseResult::kOk, renew(*a, first));
    EXPECT_EQ(0U, reap(*b));
    // Reaped: the renewal finds nothing, the release reports it, another gets the key.
    expire("1 second");
    EXPECT_EQ(1U, reap(*b));
    EXPECT_EQ(LeaseResult::kLost, renew(*a, first));
    EXPECT_EQ(LeaseResult::kLost, release(*a, first));
    ASSERT_EQ(LeaseResult::kOk, acquire(*b, second));
    EXPECT_EQ(LeaseResult::kLost, release(*a, first));  // never another acquisition's row
    EXPECT_EQ(LeaseResult::kOk, release(*b, second));

    // An insert that is not committed is waited for: rolled back, the waiter gets the key.
    a->require("BEGIN");
    a->require(acquire_sql(first));
    b->send(acquire_sql(second));
    EXPECT_TRUE(waits(*server, *monitor, *b));
    a->require("ROLLBACK");
    Answer answer = finish(*b);
    EXPECT_EQ(LeaseResult::kOk, result_of_acquire(answer));
    second.token = answer.value();
    // Reap and renewal of one row, one after the other. Renewal first: the row survives.
    expire("1 second");
    b->require("BEGIN");
    b->require(renew_sql(second));
    a->send(reap_sql());
    EXPECT_TRUE(waits(*server, *monitor, *a));
    b->require("COMMIT");
    EXPECT_TRUE(finish(*a).rows.empty());
    // Reap first: the renewal finds nothing.
    expire("1 second");
    a->require("BEGIN");
    EXPECT_EQ(1U, reap(*a));
    b->send(renew_sql(second));
    EXPECT_TRUE(waits(*server, *monitor, *b));
    a->require("COMMIT");
    EXPECT_EQ(LeaseResult::kLost, result_of_change(finish(*b)));
    // Strictly before now: a row that expires this instant stays. All of one transaction have one
    // time.
    a->require("BEGIN");
    a->require("INSERT INTO leases VALUES ('now', gen_random_uuid(), transaction_timestamp())");
    EXPECT_EQ(0U, reap(*a));
    a->require("ROLLBACK");
    insert_that_waited_commits_late(*server, *monitor);
    renewal_is_cut_by_the_server(*server, *monitor);
}

}  // namespace
}  // namespace lockkeeper::databases
