// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/server_clients.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "scheduler/search/explore.hpp"

namespace lockkeeper::databases {
namespace {

constexpr auto kRestMost = std::chrono::seconds(20);
// InnoDB looks for a deadlock just after a wait has begun: the wait has to be seen this often.
constexpr int kLooks = 3;

// The first 8 bytes of the hash as a signed integer, in the host's byte order or the other.
std::int64_t id_from(const std::string& hex, bool other_order) {
    if (hex.size() < 16) {
        throw DatabaseError("the server's SHA-256 is no hash: " + hex);
    }
    std::array<unsigned char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    }
    if (other_order) {
        std::reverse(bytes.begin(), bytes.end());
    }
    return std::bit_cast<std::int64_t>(bytes);
}

}  // namespace

ServerClients::ServerClients(const Subject& subject, PrivateServer& server, std::size_t others)
    : subject_(subject), server_(server), clients_(subject.clients.size() + others) {}

std::string ServerClients::label(std::size_t caller) const {
    return subject_.world.callers[caller].name;
}

std::string ServerClients::name_of_database(std::size_t database) const {
    return database == 0 ? "lockkeeper" : "lockkeeper_" + std::to_string(database);
}

void ServerClients::compute_ids() {
    ids_.clear();
    for (const SubjectKey& key : subject_.keys) {
        // The names of scenarios are identifiers of JSON keys; quotes are doubled all the same.
        std::string quoted;
        for (const char letter : key.hashed) {
            quoted += letter == '\'' || letter == '\\' ? '_' : letter;
        }
        const std::string hash = is_pg() ? "SELECT encode(sha256('" + quoted + "'::bytea), 'hex')"
                                         : "SELECT sha2('" + quoted + "', 256)";
        ids_.push_back(
            std::to_string(id_from(monitor_->require(hash).value(), key.other_byte_order)));
    }
}

void ServerClients::make_database(std::size_t database) {
    const std::string name = name_of_database(database);
    const std::string there = is_pg() ? "SELECT 1 FROM pg_database WHERE datname = '"
                                      : "SELECT 1 FROM information_schema.schemata "
                                        "WHERE schema_name = '";
    const auto first = server_.connect();
    if (first->require(there + name + "'").rows.empty()) {
        first->require("CREATE DATABASE " + name);
    }
}

void ServerClients::make_tables() {
    for (std::size_t database = 0; database < subject_.databases; ++database) {
        make_database(database);
        const auto session = server_.connect(name_of_database(database));
        const std::string engine = is_pg() ? "" : " ENGINE=InnoDB";
        for (const char* table :
             {"data (id INT PRIMARY KEY, version INT NOT NULL)", "outbox (id INT)",
              "outcomes (id INT)", "failing (id INT PRIMARY KEY)"}) {
            session->require(std::string("CREATE TABLE IF NOT EXISTS ") + table + engine);
        }
        for (const char* table : {"data", "outbox", "outcomes", "failing"}) {
            session->require(std::string("DELETE FROM ") + table);
        }
        session->require("INSERT INTO failing VALUES (1), (2)");
        for (std::size_t key = 0; key < subject_.keys.size(); ++key) {
            session->require("INSERT INTO data VALUES (" + std::to_string(key) + ", 0)");
        }
        if (is_pg()) {
            continue;
        }
        session->require("DROP TABLE IF EXISTS transactional_advisory_locks");
        session->require(
            "CREATE TABLE transactional_advisory_locks (lock_id BIGINT NOT NULL, "
            "UNIQUE INDEX (lock_id)) ENGINE=InnoDB");
        for (std::size_t key = 0; key < subject_.keys.size(); ++key) {
            // A gap is that of one key in the model: neighbours keep the others out.
            const std::string insert = "INSERT IGNORE INTO transactional_advisory_locks VALUES (";
            if (!subject_.calls("clean_up")) {
                session->require(insert + ids_[key] + " - 1), (" + ids_[key] + " + 1)");
            }
            if (subject_.keys[key].row) {
                session->require(insert + ids_[key] + ")");
            }
        }
    }
}

void ServerClients::prepare() {
    compute_ids();
    make_tables();
}

void ServerClients::reset(std::chrono::milliseconds timer_unit) {
    end();
    unit_ = timer_unit;
    statements_.clear();
    monitor_ = server_.connect();
    prepare();
    monitor_ = server_.connect(name_of_database(0));
    if (!is_pg()) {
        monitor_->require("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
}

std::unique_ptr<Connection> ServerClients::connect_for(std::size_t caller) {
    std::size_t database = 0;
    if (caller >= subject_.world.callers.size()) {
        return server_.connect(name_of_database(0));
    }
    for (const Operation& operation : subject_.world.callers[caller].script) {
        const bool uses_key = operation.verb == Verb::kAcquire;
        database = uses_key ? subject_.keys[operation.key].database : database;
    }
    return server_.connect(name_of_database(database));
}

// Two statements and never a wait: INSERT IGNORE alone would wait for whoever holds the row.
void ServerClients::row_first(std::size_t caller, std::size_t key) {
    const auto own = connect_for(caller);
    const bool absent =
        own->require("SELECT 1 FROM transactional_advisory_locks WHERE lock_id = " + id_of(key))
            .rows.empty();
    if (absent) {
        own->require("INSERT IGNORE INTO transactional_advisory_locks VALUES (" + id_of(key) + ")");
    }
    clients_[caller].answer.reset();
}

void ServerClients::end_session(Client& who) noexcept {
    try {
        if (who.connection && !who.lost && monitor_) {
            server_.kill(*monitor_, who.connection->id());
        }
    } catch (const std::exception&) {  // the server has gone, and the session with it
    }
    who = {};
}

void ServerClients::end() noexcept {
    for (Client& who : clients_) {
        end_session(who);
    }
    on_end();
}

void ServerClients::forget_connection(Client& who) {
    who.connection.reset();
    who.lost = who.cut = false;
    who.in_transaction = who.aborted = false;
    who.blocks.clear();
    who.savepoints.clear();
    who.written = 0;
}

void ServerClients::send(std::size_t caller, Step statement, const std::string& sql) {
    Client& who = clients_[caller];
    if (who.cut) {  // nothing is sent: a client that has lost its connection knows
        who.answer = Answer{Failure::kConnectionLost, "", "its connection is lost", "", {}};
        return;
    }
    if (!who.connection) {
        who.connection = connect_for(caller);
    }
    statements_.push_back(label(caller) + ": " + sql);
    who.statement = statement;
    who.answer.reset();
    who.outstanding = true;
    who.sent = Clock::now();
    who.connection->send(sql);
}

bool ServerClients::run(std::size_t caller, Step statement, const std::string& sql) {
    send(caller, statement, sql);
    settle();
    const Client& who = clients_[caller];
    return who.answer && who.answer->ok();
}

Answer ServerClients::ask(std::size_t caller, const std::string& sql) {
    if (!clients_[caller].connection) {
        clients_[caller].connection = connect_for(caller);
    }
    statements_.push_back(label(caller) + ": " + sql);
    return clients_[caller].connection->run(sql);
}

bool ServerClients::collect(int milliseconds) {
    bool news = false;
    for (std::size_t caller = 0; caller < clients_.size(); ++caller) {
        Client& who = clients_[caller];
        if (!who.outstanding) {
            continue;
        }
        if (auto answer = who.connection->poll(milliseconds)) {
            who.outstanding = false;
            who.answer = std::move(answer);
            const bool locks = who.statement == Step::kLock || who.statement == Step::kGuard;
            if (locks && !who.answer->ok()) {
                who.lock_error = name_of(who.answer->failure);
            }
            who.lost = who.lost || who.answer->failure == Failure::kConnectionLost;
            news = true;
            answered(caller);
        }
    }
    return news;
}

void ServerClients::answered(std::size_t) {}

void ServerClients::settle() {
    const auto end = Clock::now() + kRestMost;
    int looks = 0;
    while (looks < (is_pg() ? 1 : kLooks)) {
        if (Clock::now() > end) {
            throw DatabaseError(
                "the server does not come to rest: a statement neither waits for a "
                "lock nor is answered");
        }
        (void)collect(0);
        std::vector<std::uint64_t> sessions;
        for (const Client& who : clients_) {
            if (who.outstanding) {
                sessions.push_back(who.connection->id());
            }
        }
        if (sessions.empty()) {
            break;
        }
        const bool all_wait = server_.waiting(*monitor_, sessions).size() == sessions.size();
        const bool news = collect(all_wait ? 0 : 1);
        looks = all_wait && !news ? looks + 1 : 0;
    }
    refuse_slowness();
}

// A timer that the schedule has not had yet must not have run out.
void ServerClients::refuse_slowness() const {
    for (const Client& who : clients_) {
        const unsigned least = std::min(who.timers.check == 0 ? UINT32_MAX : who.timers.check,
                                        who.timers.timeout == 0 ? UINT32_MAX : who.timers.timeout);
        const bool armed = has_timers(who.statement) && least != UINT32_MAX;
        const bool waits_or_failed = who.outstanding || (who.answer && !who.answer->ok());
        if (armed && waits_or_failed && Clock::now() - who.sent > unit_ * least * 9 / 10) {
            throw TooSlow("a timer of the server ran out before its turn");
        }
    }
}

void ServerClients::set_timers(std::size_t caller, Timers timers) {
    Client& who = clients_[caller];
    if (who.cut) {
        return;
    }
    who.timers = timers;
    const auto milliseconds = [&](unsigned units) { return unit_.count() * units; };
    if (is_pg()) {
        const auto check = timers.check == 0 ? std::numeric_limits<std::int32_t>::max()
                                             : milliseconds(timers.check);
        (void)who.connection->run(
            "SET deadlock_timeout = " + std::to_string(check) +
            "; SET lock_timeout = " + std::to_string(milliseconds(timers.timeout)));
        return;
    }
    // Seconds, and 0 would not wait at all.
    const auto seconds =
        timers.timeout == 0 ? 1'000'000 : std::max<long>(1, milliseconds(timers.timeout) / 1000);
    (void)who.connection->run("SET innodb_lock_wait_timeout = " + std::to_string(seconds));
}

void ServerClients::perform(const Advance& done, const std::string& error, Timers timers) {
    now_ = timers;
    refuse_slowness();
    if (done.action.kind != ActionKind::kStep && done.action.kind != ActionKind::kFault) {
        background(done);
    } else {
        step(done.action.actor, done, error);
    }
    settle();
}

Observed ServerClients::observed(std::size_t caller) const {
    const Client& who = clients_[caller];
    Observed seen;
    seen.lock_error = who.lock_error;
    if (who.outstanding) {
        seen.status = Status::kWaits;
    } else if (who.answer) {
        seen.status = who.answer->ok() ? Status::kOk : Status::kError;
        seen.error = who.answer->ok() ? "" : name_of(who.answer->failure);
        seen.tag = who.answer->tag;
        seen.value = who.answer->value();
        seen.said = who.answer->ok() ? "" : who.answer->code + " " + who.answer->message;
    }
    return seen;
}

bool ServerClients::deletes() const {
    return std::any_of(clients_.begin(), clients_.end(), [](const Client& who) {
        return who.outstanding && who.statement == Step::kDelete;
    });
}

ServerView ServerClients::look() {
    ServerView view;
    const std::size_t keys = subject_.keys.size();
    view.versions.assign(keys, -1);
    view.lines.assign(keys, -1);
    view.rows.assign(keys, -1);
    for (const auto& row : monitor_->require("SELECT id, version FROM data").rows) {
        const std::size_t key = std::stoul(row[0]);
        if (key < keys && subject_.keys[key].database == 0) {
            view.versions[key] = std::stoll(row[1]);
        }
    }
    if (is_pg()) {
        for (std::size_t key = 0; key < keys; ++key) {
            // The upper half of the id is classid, the lower objid.
            const Answer line = monitor_->require(
                "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE "
                "locktype = 'advisory' AND datname = '" +
                name_of_database(subject_.keys[key].database) + "' AND classid::bigint = ((" +
                ids_[key] + "::bigint >> 32) & 4294967295) AND objid::bigint = (" + ids_[key] +
                "::bigint & 4294967295)");
            view.lines[key] = std::stoll(line.value());
        }
        return view;
    }
    monitor_->require("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
    for (std::size_t key = 0; key < keys && !deletes(); ++key) {
        const Answer rows = monitor_->require(
            "SELECT count(*) FROM transactional_advisory_locks WHERE lock_id = " + ids_[key]);
        view.rows[key] = std::stoll(rows.value());
    }
    monitor_->require("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    return view;
}

}  // namespace lockkeeper::databases
