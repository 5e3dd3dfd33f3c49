// SPDX-License-Identifier: Apache-2.0

// A database that is put back: as often as it was made, whatever was done in it.
#include "validate/wire/postgresql_rows.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "model/missing_test.hpp"

namespace lockkeeper::wire {
namespace {

constexpr const char* kMade =
    "CREATE TABLE parts (name text PRIMARY KEY, made int GENERATED ALWAYS AS IDENTITY, twice int "
    "GENERATED ALWAYS AS (length(name) * 2) STORED, note jsonb);"
    "INSERT INTO parts (name, note) VALUES ('a''b', '{\"x\": [1, null]}'), (E'c\\\\d', NULL)";
constexpr const char* kLook =
    "SELECT string_agg(name || '/' || made || '/' || twice || '/' || coalesce(note::text, '-'), ' "
    "' "
    "ORDER BY ctid) || ' next ' || (SELECT last_value || '' FROM parts_made_seq) FROM parts";

struct KeptDatabase {
    explicit KeptDatabase(const std::string& made) {
        auto started = databases::PrivateServer::start(databases::Engine::kPostgresql);
        server = std::move(std::get<std::unique_ptr<databases::PrivateServer>>(started));
        static_cast<void>(server->connect()->require("CREATE DATABASE aside"));
        static_cast<void>(server->connect("aside")->require("CREATE EXTENSION pg_walinspect"));
        static_cast<void>(server->connect()->run(made));
        server->keep_data();
        come_back();
    }
    void come_back() {
        rows.reset();
        monitor = server->connect("aside");
        own = server->connect();
        rows = std::make_unique<PostgresqlRows>(*monitor, *own);
        client = server->connect();
    }
    // True: in a few statements.
    bool put_back() {
        client.reset();
        const bool in_place = rows->put_back();
        if (!in_place) {
            rows.reset();
            own.reset();
            monitor.reset();
            server->put_data_back();
            come_back();
        } else {
            client = server->connect();
        }
        return in_place;
    }
    std::string value(const std::string& sql) { return client->require(sql).value(); }

    std::unique_ptr<databases::PrivateServer> server;
    std::unique_ptr<databases::Connection> monitor;
    std::unique_ptr<databases::Connection> own;
    std::unique_ptr<databases::Connection> client;
    std::unique_ptr<PostgresqlRows> rows;
};

#define SKIP_WITHOUT_KEPT_POSTGRESQL()                   \
    if (databases::find_program("initdb").empty()) {     \
        SKIP_FOR_LACK_OF("PostgreSQL is not installed"); \
    }

TEST(PostgresqlRows, AreAsTheyWereWithTheirSequences) {
    SKIP_WITHOUT_KEPT_POSTGRESQL();
    KeptDatabase held(kMade);
    const std::string before = held.value(kLook);
    EXPECT_EQ("a'b/1/6/{\"x\": [1, null]} c\\d/2/6/- next 2", before);
    EXPECT_TRUE(held.put_back());
    for (const char* change :
         {"INSERT INTO parts (name) VALUES ('e')", "DELETE FROM parts",
          "UPDATE parts SET name = 'f' WHERE made = 1", "SELECT nextval('parts_made_seq')",
          "SELECT count(*) FROM parts", "SELECT pg_advisory_lock(1)"}) {
        static_cast<void>(held.client->require(change));
        EXPECT_TRUE(held.put_back()) << change;
        EXPECT_EQ(before, held.value(kLook)) << change;
    }
}

TEST(PostgresqlRows, WhatWasGivenUpIsPutBackToo) {
    SKIP_WITHOUT_KEPT_POSTGRESQL();
    KeptDatabase held(kMade);
    const std::string before = held.value(kLook);
    static_cast<void>(held.client->require("BEGIN"));
    static_cast<void>(held.client->require("INSERT INTO parts (name) VALUES ('e')"));
    static_cast<void>(held.client->require("ROLLBACK"));
    EXPECT_TRUE(held.put_back());
    EXPECT_EQ(before, held.value(kLook));
    EXPECT_EQ("(0,2)", held.value("SELECT max(ctid) FROM parts"));
}

TEST(PostgresqlRows, MoreThanRowsTakesTheCopy) {
    SKIP_WITHOUT_KEPT_POSTGRESQL();
    KeptDatabase held(kMade);
    const std::string before = held.value(kLook);
    const std::string tables = "SELECT count(*) || '/' || max(oid) FROM pg_class";
    const std::string of_tables = held.value(tables);
    for (const char* change :
         {"CREATE TABLE more (n int)", "CREATE SCHEMA own", "CREATE ROLE worker",
          "ALTER TABLE parts ADD COLUMN extra int DEFAULT 7", "CREATE EXTENSION pg_walinspect",
          "CREATE TYPE mood AS ENUM ('good')", "DROP TABLE parts",
          "TRUNCATE parts RESTART IDENTITY", "CREATE TEMP TABLE mine (n int)",
          "COMMENT ON TABLE parts IS 'x'", "CREATE DATABASE other",
          "ALTER SEQUENCE parts_made_seq INCREMENT 5"}) {
        static_cast<void>(held.client->require(change));
        EXPECT_FALSE(held.put_back()) << change;
        EXPECT_EQ(before, held.value(kLook)) << change;
        EXPECT_EQ(of_tables, held.value(tables)) << change;
        EXPECT_EQ("0", held.value("SELECT count(*) FROM pg_roles WHERE rolname = 'worker'"));
        EXPECT_EQ("0", held.value("SELECT count(*) FROM pg_database WHERE datname = 'other'"));
    }
}

// A table made in each run has the same number in each.
TEST(PostgresqlRows, NumbersOfWhatIsMadeAreTheSameEachTime) {
    SKIP_WITHOUT_KEPT_POSTGRESQL();
    KeptDatabase held("");
    std::string first;
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(held.client->require("CREATE TABLE more (n int)"));
        const std::string number =
            held.value("SELECT 'more'::regclass::oid || '/' || txid_current()");
        first = first.empty() ? number : first;
        EXPECT_EQ(first, number);
        EXPECT_FALSE(held.put_back());
    }
}

TEST(PostgresqlRows, ReferencesAndTablesWithoutALogArePutBackTogether) {
    SKIP_WITHOUT_KEPT_POSTGRESQL();
    KeptDatabase held(
        "CREATE TABLE whole (n int PRIMARY KEY); CREATE TABLE part (n int REFERENCES whole);"
        "CREATE UNLOGGED TABLE quick (n int); INSERT INTO whole VALUES (1); INSERT INTO part "
        "VALUES (1);"
        "INSERT INTO quick VALUES (1)");
    const std::string look =
        "SELECT (SELECT count(*) FROM whole) || '/' || (SELECT sum(n) FROM part) || '/' || (SELECT "
        "sum(n) FROM quick)";
    for (const char* change : {"INSERT INTO quick VALUES (5)", "DELETE FROM part",
                               "INSERT INTO whole VALUES (2)", "UPDATE quick SET n = 9"}) {
        static_cast<void>(held.client->require(change));
        EXPECT_TRUE(held.put_back()) << change;
        EXPECT_EQ("1/1/1", held.value(look)) << change;
    }
}

TEST(PostgresqlRows, TriggersOfReplicasTakeTheCopy) {
    SKIP_WITHOUT_KEPT_POSTGRESQL();
    KeptDatabase held(
        "CREATE TABLE told (n int); CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN "
        "INSERT INTO told VALUES (2); RETURN NULL; END$$; CREATE TABLE watched (n int); CREATE "
        "TRIGGER "
        "tells AFTER INSERT ON watched EXECUTE FUNCTION tell(); ALTER TABLE watched ENABLE ALWAYS "
        "TRIGGER tells; INSERT INTO watched VALUES (1)");
    static_cast<void>(held.client->require("INSERT INTO watched VALUES (3)"));
    EXPECT_FALSE(held.put_back());
    EXPECT_EQ("1", held.value("SELECT count(*) FROM told"));
}

}  // namespace
}  // namespace lockkeeper::wire
