// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's csvlog as servers write it: transactions, parameters, errors, sessions that end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/postgres_log_test.hpp"

namespace lockkeeper::logs {
namespace {

TEST(PostgresReader, AKeyIsAParameterOrTwoNumbersOrCast) {
    EXPECT_EQ(told_by(line_of({.message = "duration: 0.5 ms  execute s1: SELECT "
                                          "pg_try_advisory_lock($1)",
                               .detail = "parameters: $1 = '42'"})),
              "7 served acquire of 42; ");
    EXPECT_EQ(told_by(line_of({.message = done("select PG_Advisory_Lock(42::bigint), "
                                               "pg_advisory_unlock( 1, $2 )"),
                               .detail = "Parameters: $1 = '9', $2 = '7'"})),
              "7 state acquire of 42; 7 served release of 1,7; ");
    // Without its value it is nobody's lock, and not that of all others.
    EXPECT_NE(refused({line_of({.message = done("SELECT pg_advisory_lock($1)")})}).find("no line"),
              std::string::npos);
}

TEST(PostgresReader, ALineWithoutItsStatementEndsTheOneBefore) {
    EXPECT_EQ(told_by(line_of({.message = "statement: SELECT pg_advisory_lock(42)"}) +
                      line_of({.time = "12:00:00.200", .message = "duration: 99.000 ms"})),
              "7 call acquire of 42; 7 state acquire of 42; ");
}

TEST(PostgresReader, AStatementOfSeveralLinesIsOne) {
    EXPECT_EQ(told_by(line_of({.message = done("SELECT\n\n  pg_try_advisory_lock(\n42)")}) +
                      line_of({.message = done("SELECT pg_advisory_unlock(42)")})),
              "7 served acquire of 42; 7 served release of 42; ");
    // A record that is torn takes no other one with it.
    EXPECT_EQ(told_by("pg_sleep(1)\",,,,,,\n" +
                      line_of({.message = done("SELECT pg_advisory_unlock(42)")})),
              "7 served release of 42; ");
}

TEST(PostgresReader, TheEndOfATransactionGivesBackAllItsLocks) {
    const std::string taken = line_of({.message = done("SELECT pg_advisory_xact_lock(1)")}) +
                              line_of({.message = done("SELECT pg_advisory_xact_lock(2)")});
    const std::string all = "7 state acquire of 1; 7 state acquire of 2; ";
    const std::string back = "7 served release of 1; 7 served release of 2; ";
    EXPECT_EQ(told_by(taken + line_of({.message = done("commit;"), .transaction = "3/0"})),
              all + back);
    EXPECT_NE(refused({taken + line_of({.message = done("ROLLBACK TO SAVEPOINT a")})})
                  .find("the log does not have the savepoint"),
              std::string::npos);
    EXPECT_EQ(told_by(taken + line_of({.message = "deadlock detected", .severity = "ERROR"})),
              all + back);
    // Nobody saw how it ended.
    EXPECT_EQ(told_by(taken + line_of({.message = done("SELECT 1"), .transaction = "3/2"})),
              all + back);
    EXPECT_EQ(told_by(line_of(
                  {.message = done("SELECT pg_advisory_xact_lock(1)"), .transaction = "3/0"})),
              "7 state acquire of 1; 7 served release of 1; ");
}

TEST(PostgresReader, WhatIsTakenBehindASavepointIsGivenBackWithIt) {
    const std::string one = line_of({.message = done("SELECT pg_advisory_xact_lock(1)")});
    const std::string two = line_of({.message = done("SELECT pg_advisory_xact_lock(2)")});
    const std::string savepoint = line_of({.message = done("SAVEPOINT a")});
    const std::string error = line_of({.message = "division by zero", .severity = "ERROR"});
    const std::string taken = one + savepoint + two;
    const std::string all = "7 state acquire of 1; 7 state acquire of 2; ";
    const std::string back = "7 served release of 2; ";
    for (const char* words : {"ROLLBACK TO SAVEPOINT a", "rollback work to A;"}) {
        EXPECT_EQ(told_by(taken + line_of({.message = done(words)})), all + back);
    }
    EXPECT_EQ(told_by(taken + error), all + back);
    EXPECT_EQ(told_by(taken + line_of({.message = done("SAVEPOINT b")}) +
                      line_of({.message = done("ROLLBACK TO b")})),
              all);
    // A savepoint that is released holds nothing together any more.
    EXPECT_EQ(told_by(taken + line_of({.message = done("RELEASE SAVEPOINT a")}) + error),
              all + "7 served release of 1; " + back);
    // Each line before and behind, as log_statement and log_duration write them.
    std::string told = one;
    for (const char* words : {"SAVEPOINT a", "SELECT pg_advisory_xact_lock(2)", "ROLLBACK TO a"}) {
        told += line_of({.message = fmt::format("statement: {}", words)}) +
                line_of({.message = "duration: 0.100 ms"});
    }
    EXPECT_EQ(told_by(told),
              "7 state acquire of 1; 7 call acquire of 2; 7 state acquire of 2; "
              "7 call release of 2; 7 served release of 2; ");
}

// A lock that is taken twice in one transaction is given back twice at its end.
TEST(PostgresReader, ALockOfATransactionThatIsTakenTwiceIsGivenBackTwice) {
    const std::string one = line_of({.message = done("SELECT pg_advisory_xact_lock(1)")});
    EXPECT_EQ(told_by(one + one + line_of({.message = done("COMMIT")})),
              "7 state acquire of 1; 7 state acquire of 1; "
              "7 served release of 1; 7 served release of 1; ");
}

// 8 was granted what the prepared transaction of 7 kept: it was explained.
TEST(PostgresReader, ALockThatAPreparedTransactionKeepsIsLeftOut) {
    const std::string kept =
        line_of({.message = done("SELECT pg_advisory_xact_lock(1)")}) +
        line_of({.message = done("PREPARE TRANSACTION 'x'")}) +
        line_of({.process = 8,
                 .message = done("SELECT pg_advisory_xact_lock(1)"),
                 .transaction = "4/1"}) +
        line_of({.message = done("COMMIT PREPARED 'x'"), .transaction = "3/2"});
    EXPECT_NE(refused({kept}).find("lock 1 is left out: a prepared transaction keeps it"),
              std::string::npos);
    const std::string other = line_of({.message = done("SELECT pg_advisory_lock(2)")});
    EXPECT_EQ(told_by(kept + other), "7 state acquire of 2; ");
    EXPECT_EQ(told_by(line_of({.message = done("PREPARE transaction_7 AS SELECT 1")}) + other),
              "7 state acquire of 2; ");
}

TEST(PostgresReader, StatementsThatCameAsOneAreCarriedOutOneByOne) {
    const std::string text = "BEGIN; SELECT pg_advisory_xact_lock(1); SELECT ';'; COMMIT";
    const std::string all = "7 state acquire of 1; 7 served release of 1; ";
    EXPECT_EQ(told_by(line_of({.message = done(text)})), all);
    EXPECT_EQ(told_by(line_of({.message = "statement: " + text}) +
                      line_of({.message = "duration: 0.100 ms", .transaction = "3/0"})),
              "7 call acquire of 1; 7 call release of 1; " + all);
    EXPECT_EQ(told_by(line_of({.message = done("SELECT pg_advisory_xact_lock(1);SAVEPOINT a;"
                                               "SELECT pg_advisory_xact_lock(2);ROLLBACK TO a")})),
              "7 state acquire of 1; 7 state acquire of 2; 7 served release of 2; ");
}

// Lines about statements that nobody carried out were taken for calls.
TEST(PostgresReader, WhatAStatementOnlyNamesIsNoCall) {
    const std::string other = line_of({.message = done("SELECT pg_advisory_lock(2)")});
    for (const char* words :
         {"/* pg_advisory_lock(1) */ SELECT 1", "SELECT 1 -- pg_advisory_lock(1)",
          "INSERT INTO audit VALUES ('it''s pg_advisory_lock(1)')",
          "CREATE FUNCTION f() RETURNS void AS $f$ SELECT pg_advisory_lock(1); $f$ LANGUAGE sql",
          "create or replace temp view v as select pg_advisory_lock(1)",
          "/* /* */ SELECT pg_advisory_lock(1) */ SELECT 1", "SELECT $$pg_advisory_lock(1)$$",
          "PREPARE p AS SELECT pg_advisory_lock(1)", "EXPLAIN SELECT pg_advisory_lock(1)",
          "SELECT my_pg_advisory_lock(1)"}) {
        EXPECT_EQ(told_by(line_of({.message = done(words)}) + other), "7 state acquire of 2; ")
            << words;
    }
    for (const char* words :
         {"DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$",
          "CREATE TABLE x AS SELECT pg_advisory_lock(1)",
          "create materialized view x as select pg_advisory_lock(1)",
          "SELECT E'it\\'s', pg_advisory_lock(1)", "explain analyze select pg_advisory_lock(1)"}) {
        EXPECT_EQ(told_by(line_of({.message = done(words)})), "7 state acquire of 1; ") << words;
    }
    EXPECT_EQ(told_by(line_of({.message = done("EXECUTE p(7)"),
                               .detail = "prepare: PREPARE p AS SELECT pg_advisory_lock($1)"})),
              "7 state acquire of 7; ");
    // A call that has a text of its own is no text: two locks had one name.
    const auto executed = [](const char* key) {
        return told_by(
            line_of({.message = done(fmt::format("EXECUTE p({})", key)),
                     .detail = "prepare: PREPARE p AS SELECT pg_advisory_lock(hashtext($1))"}) +
            line_of({.message = done("SELECT pg_advisory_lock(2)")}));
    };
    EXPECT_EQ(executed("lower('x')"), "7 state acquire of 2; ");
    EXPECT_EQ(executed("'it''s'"), "7 state acquire of hashtext('it''s'); 7 state acquire of 2; ");
}

TEST(PostgresReader, AKeyMayHaveEscapesAndIsTheSameWithoutThem) {
    const auto told = [](const char* key) {
        return told_by(line_of({.message = done(fmt::format("SELECT pg_advisory_lock({})", key))}));
    };
    const std::string plain = "7 state acquire of hashtext('it''s, (a'); ";
    EXPECT_EQ(told("hashtext('it''s, (a')"), plain);
    EXPECT_EQ(told("hashtext(E'it\\'s, (a')"), plain);
    EXPECT_EQ(told("hashtext( e'it''s, \\(a'::text )"), plain);
    EXPECT_EQ(told("E'4\\n2'"), "7 state acquire of 4\n2; ");
    const std::string other = line_of({.message = done("SELECT pg_advisory_lock(2)")});
    for (const char* key : {"hashtext(E'\\x41')", "hashtext(E'\\u0041')", "hashtext(U&'\\0041')"}) {
        const std::string text =
            line_of({.message = done(fmt::format("SELECT pg_advisory_lock({})", key))});
        EXPECT_EQ(told_by(text + other), "7 state acquire of 2; ") << key;
        EXPECT_EQ(read_csv({text + other}).logs.remarks.size(), 1U) << key;
    }
}

// Nobody gives back a lock that a failed statement asked for: 7 gave back the lock of 8.
TEST(PostgresReader, AStatementThatFailsHasTakenNothing) {
    const std::string failed =
        line_of({.message = "statement: SELECT pg_advisory_xact_lock(1)"}) +
        line_of({.message = "canceling statement due to lock timeout", .severity = "ERROR"});
    EXPECT_EQ(told_by(failed + line_of({.message = done("ROLLBACK")})), "7 call acquire of 1; ");
}

// A lock that is refused to 7 is not given back by 7, whatever the model says of owners.
TEST(PostgresReader, NobodyGivesBackWhatAnotherHolds) {
    const std::string held = line_of({.message = done("SELECT pg_advisory_lock(1)")});
    const std::string foreign = line_of(
        {.process = 8, .time = "12:00:00.300", .message = done("SELECT pg_advisory_unlock(1)")});
    const std::string twice = line_of(
        {.process = 9, .time = "12:00:00.500", .message = done("SELECT pg_advisory_lock(1)")});
    const std::string back =
        line_of({.time = "12:00:00.700", .message = done("SELECT pg_advisory_unlock(1)")});
    EXPECT_EQ(answered(held + foreign + twice + back, "mutex"), Answer::kNotExplained);
    EXPECT_EQ(answered(held + foreign + back, "mutex"), Answer::kExplained);
}

// The lock that nobody can name may be the one that is explained: that passed.
TEST(PostgresReader, ALineThatDoesNotSayItsLockLeavesAPassOpen) {
    const std::string known =
        line_of({.message = done("SELECT pg_advisory_lock(1)")}) +
        line_of({.time = "12:00:00.300", .message = done("SELECT pg_advisory_unlock(1)")});
    EXPECT_EQ(answered(known), Answer::kExplained);
    for (const char* words : {"SELECT pg_advisory_lock($1)", "COMMIT PREPARED 'x'"}) {
        EXPECT_EQ(answered(known + line_of({.process = 8, .message = done(words)})),
                  Answer::kUndecided)
            << words;
    }
    // The log has all that was prepared.
    EXPECT_EQ(answered(line_of({.process = 8, .message = done("PREPARE TRANSACTION 'x'")}) + known +
                       line_of({.process = 8,
                                .time = "12:00:00.400",
                                .message = done("ROLLBACK PREPARED 'x'")})),
              Answer::kExplained);
}

TEST(PostgresReader, AKeyIsTheTextThatItsExpressionHas) {
    const auto key_of = [](const char* argument, const char* detail = "") {
        const std::string told = told_by(
            line_of({.message = done(fmt::format("SELECT pg_advisory_lock({}) FROM t", argument)),
                     .detail = detail}));
        return told.substr(std::string("7 state acquire of ").size());
    };
    EXPECT_EQ(key_of("HashText('App::My Mail'::text)::bigint"), "hashtext('App::My Mail'); ");
    EXPECT_EQ(key_of("hashtext($1)", "Parameters: $1 = 'My, (Mail'"), "hashtext('My, (Mail'); ");
    EXPECT_EQ(key_of("hashtext('it''s) '), $2", "Parameters: $1 = '1', $2 = '7'"),
              "hashtext('it''s) '),7; ");
    EXPECT_EQ(key_of("('x' || md5('a'))::bit(64)::bigint"), "('x'||md5('a')); ");
    for (const char* unknown :
         {"id", "hashtext($1)", "hashtext(jobs.name)", "hashtext($1 || $2)"}) {
        EXPECT_NE(refused({line_of({.message = done(fmt::format(
                                        "SELECT pg_advisory_lock({}) FROM jobs", unknown)),
                                    .detail = "Parameters: $2 = 'x'"})})
                      .find("no line"),
                  std::string::npos)
            << unknown;
    }
    // One of the session's locks is given back, and nobody knows which.
    EXPECT_NE(refused({line_of({.message = done("SELECT pg_advisory_lock(1)")}) +
                       line_of({.message = done("SELECT pg_advisory_unlock(id) FROM jobs")})})
                  .find("lock 1 is left out: a session gives back a key"),
              std::string::npos);
}

TEST(PostgresReader, ADatabaseHasLocksOfItsOwn) {
    const std::string one = line_of({.message = done("SELECT pg_advisory_lock(1)")});
    const std::string other =
        line_of({.process = 8, .message = done("SELECT pg_advisory_lock(1)"), .database = "other"});
    EXPECT_EQ(told_by(one + other),
              "7 state acquire of 1; 8 state acquire of 1 of database other; ");
    const std::string shared = line_of(
        {.process = 8, .message = done("SELECT pg_advisory_lock_shared(1)"), .database = "other"});
    EXPECT_EQ(told_by(one + shared), "7 state acquire of 1; ");
}

// log_disconnections is off unless somebody turns it on.
TEST(PostgresReader, SessionsThatMayHaveEndedUnsaidAreNoViolation) {
    std::string text;
    for (int i = 0; i < 5; ++i) {
        const std::string time = fmt::format("12:00:{:02}.", 5 * i);
        const std::string quiet = time + "100";
        const std::string taken = time + "900";
        const std::string back = fmt::format("12:00:{:02}.000", 5 * i + 2);
        text += line_of({.process = 70 + i,
                         .time = quiet.c_str(),
                         .message = done("SELECT pg_advisory_lock(1)")}) +
                line_of({.process = 8,
                         .time = taken.c_str(),
                         .message = done("SELECT pg_advisory_lock(1)")}) +
                line_of({.process = 8,
                         .time = back.c_str(),
                         .message = done("SELECT pg_advisory_unlock(1)")});
    }
    EXPECT_EQ(answered(text, "owner-aware-mutex", {}), Answer::kUndecided);
    // A log that says when sessions end would have said it.
    const std::string end = line_of({.process = 9,
                                     .time = "12:01:00.000",
                                     .message = "disconnection: session time: 0:00:01.000"});
    EXPECT_EQ(answered(text + end, "owner-aware-mutex", {}), Answer::kNotExplained);
}

TEST(PostgresReader, ASessionThatEndsGivesBackItsLocks) {
    const std::string taken = line_of({.message = done("SELECT pg_advisory_lock(1)")}) +
                              line_of({.message = done("SELECT pg_advisory_lock(1)")});
    const std::string all = "7 state acquire of 1; 7 state acquire of 1; ";
    const std::string back = "7 served release of 1; ";
    EXPECT_EQ(told_by(taken + line_of({.message = "disconnection: session time: 0:00:01.000"})),
              all + back + back);
    EXPECT_EQ(told_by(taken + line_of({.message = "terminating connection", .severity = "FATAL"})),
              all + back + back);
    EXPECT_EQ(told_by(taken + line_of({.message = done("SELECT pg_advisory_unlock_all()")})),
              all + back + back);
    EXPECT_EQ(told_by(taken + line_of({.message = done("DISCARD ALL")})), all + back + back);
    const std::string other = line_of(
        {.process = 8, .time = "12:00:01.100", .message = done("SELECT pg_advisory_lock(1)")});
    EXPECT_EQ(answered(taken + other, "reentrant-mutex"), Answer::kUndecided);
    EXPECT_EQ(
        answered(taken + line_of({.message = done("DISCARD ALL")}) + other, "reentrant-mutex"),
        Answer::kExplained);
}

TEST(PostgresReader, WhoHasWaitedForALockHasIt) {
    const std::string first = line_of({.message = done("SELECT pg_advisory_lock(1)")});
    const std::string second = line_of(
        {.process = 8, .time = "12:00:00.300", .message = done("SELECT pg_advisory_lock(1)")});
    const std::string back =
        line_of({.time = "12:00:00.500", .message = done("SELECT pg_advisory_unlock(1)")});
    EXPECT_EQ(answered(first + second + back), Answer::kNotExplained);
    const std::string later = line_of({.process = 8,
                                       .time = "12:00:00.600",
                                       .message = "duration: 300 ms  statement: SELECT "
                                                  "pg_advisory_lock(1)"});
    EXPECT_EQ(answered(first + back + later), Answer::kExplained);
}

TEST(PostgresReader, AWaitNamesTheLockByHalvesOrByTwoKeys) {
    const auto wait = [](const char* place) {
        return line_of({.process = 8,
                        .message = fmt::format("process 8 still waiting for ExclusiveLock on "
                                               "advisory lock [5,{}] after 200.123 ms",
                                               place),
                        .detail = "Process holding the lock: 7. Wait queue: 8."});
    };
    EXPECT_EQ(told_by(wait("0,42,1")), "7 state acquire of 42; ");
    EXPECT_EQ(told_by(wait("1,2,1")), "7 state acquire of 4294967298; ");
    EXPECT_EQ(told_by(wait("4294967295,4294967295,1")), "7 state acquire of -1; ");
    EXPECT_EQ(told_by(wait("1,2,2")), "7 state acquire of 1,2; ");
}

TEST(PostgresReader, ALockThatIsAlsoSharedIsLeftOut) {
    const std::string shared = line_of({.message = done("SELECT pg_advisory_lock_shared(1)")});
    const std::string own = line_of({.message = done("SELECT pg_advisory_lock(1)")});
    EXPECT_NE(refused({shared + own}).find("lock 1 is left out: it is also taken shared"),
              std::string::npos);
    const std::string other = line_of({.message = done("SELECT pg_advisory_lock(2)")});
    EXPECT_EQ(told_by(shared + own + other), "7 state acquire of 2; ");
}

TEST(PostgresReader, AZoneWithoutAnOffsetGoesWithNoOtherLog) {
    const std::string lock = done("SELECT pg_advisory_lock(1)");
    const std::string cet = line_of({.message = lock, .zone = "CET"});
    const std::string offset = line_of({.message = lock, .zone = "+01"});
    const std::string utc = line_of({.message = lock});
    EXPECT_EQ(refused({cet}), "not refused");
    EXPECT_EQ(refused({cet, cet}), "not refused");
    EXPECT_NE(refused({utc, cet}).find("1.csv: its times are of the zone CET"), std::string::npos);
    const ReadLogs read = read_csv({utc, offset});
    EXPECT_EQ(
        read.logs.sources[0].observations[0].latest - read.logs.sources[1].observations[0].latest,
        3'600'000'000'000);
}

}  // namespace
}  // namespace lockkeeper::logs
