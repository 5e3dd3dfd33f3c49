// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's csvlog as servers write it: transactions, parameters, errors, sessions that end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

struct Csv {
    int process = 7;
    const char* time = "12:00:00.100";
    std::string message;
    const char* transaction = "3/1";
    const char* detail = "";
    const char* severity = "LOG";
    const char* zone = "UTC";
};

std::string line_of(const Csv& csv) {
    return fmt::format(
        "2026-03-01 {} {},\"u\",\"d\",{},\"h:1\",s,2,\"SELECT\",2026-03-01 11:00:00 UTC,{},0,{},"
        "00000,\"{}\",\"{}\",,,,,,,,\"app\",\"client backend\",,0\n",
        csv.time, csv.zone, csv.process, csv.transaction, csv.severity, csv.message, csv.detail);
}

ReadLogs read_csv(const std::vector<std::string>& texts) {
    static const Mapping kMapping;
    LogsReader reader(kMapping);
    for (const std::string& text : texts) {
        reader.read_text(text, fmt::format("{}.csv", &text - texts.data()), Format::kByFirstLine);
    }
    return reader.end();
}

// "7 served acquire of 42; ", of every line.
std::string told_by(const std::string& text) {
    constexpr const char* kSeen[] = {"call", "served", "answer", "state", "effect"};
    std::string out;
    for (const Source& source : read_csv({text}).logs.sources) {
        for (const Observation& seen : source.observations) {
            out += fmt::format("{} {} {} of {}; ", seen.caller,
                               kSeen[static_cast<std::size_t>(seen.seen)], name_of(seen.code),
                               seen.key);
        }
    }
    return out;
}

std::string refused(const std::vector<std::string>& texts) {
    try {
        static_cast<void>(read_csv(texts));
        return "not refused";
    } catch (const LogError& error) {
        return error.what();
    }
}

Answer answered(const std::string& text, const char* model_name = "owner-aware-mutex") {
    const ReadLogs read = read_csv({text});
    const auto model = make_model(model_of_logs(model_name));
    const SearchBudget budget({});
    Question question;
    question.lost_max = 0;
    question.model = model.get();
    question.budget = &budget;
    return explain(by_lock(read.logs).at(0).second, question).answer;
}

std::string done(const std::string& statement) {
    return "duration: 0.5 ms  statement: " + statement;
}

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
    EXPECT_EQ(told_by(taken + line_of({.message = done("ROLLBACK TO SAVEPOINT a")})), all);
    EXPECT_EQ(told_by(taken + line_of({.message = "deadlock detected", .severity = "ERROR"})),
              all + back);
    EXPECT_EQ(told_by(line_of({.message = done("SAVEPOINT a")}) + taken +
                      line_of({.message = "deadlock detected", .severity = "ERROR"})),
              all);
    // Nobody saw how it ended.
    EXPECT_EQ(told_by(taken + line_of({.message = done("SELECT 1"), .transaction = "3/2"})),
              all + back);
    EXPECT_EQ(told_by(line_of(
                  {.message = done("SELECT pg_advisory_xact_lock(1)"), .transaction = "3/0"})),
              "7 state acquire of 1; 7 served release of 1; ");
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
