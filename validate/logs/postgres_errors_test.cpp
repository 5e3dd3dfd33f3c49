// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's csvlog: errors, and what they leave of the statements before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/postgres_log_test.hpp"

namespace lockkeeper::logs {
namespace {

// The server does not log a statement with a syntax error before that error.
TEST(PostgresReader, AnErrorOfAnotherStatementLeavesTheOneBeforeCarriedOut) {
    const auto error = [](const char* code, const char* query) {
        return fmt::format(
            "2026-03-01 12:00:00.400 UTC,\"u\",\"d\",7,\"h:1\",s,2,\"SELECT\",2026-03-01 11:00:00 "
            "UTC,3/1,0,ERROR,{},\"an error\",\"\",,,,,\"{}\",,,\"app\",\"client backend\",,0\n",
            code, query);
    };
    const std::string asks = line_of({.message = "statement: SELECT pg_advisory_xact_lock(1)"});
    const std::string both = "7 call acquire of 1; 7 call release of 1; 7 served release of 1; ";
    EXPECT_EQ(told_by(asks + error("42601", "")), both);
    EXPECT_EQ(told_by(asks + error("22012", "SELECT 1/0")), both);
    EXPECT_EQ(told_by(asks + error("22012", "SELECT pg_advisory_xact_lock(1)")),
              "7 call acquire of 1; ");
    EXPECT_EQ(told_by(asks + error("22012", "")), "7 call acquire of 1; ");
    const std::string waits = line_of({.process = 8,
                                       .time = "12:00:00.300",
                                       .message = "process 8 still waiting for ExclusiveLock on "
                                                  "advisory lock [5,0,1,1] after 200.123 ms",
                                       .detail = "Process holding the lock: 7. Wait queue: 8."});
    EXPECT_EQ(told_by(asks + waits + error("22012", "")), both + "7 state acquire of 1; ");
    const std::string own = line_of({.message = "statement: SELECT pg_advisory_lock(1)"});
    const std::string end =
        line_of({.time = "12:00:00.500", .message = "disconnection: session time: 0:00:01.000"});
    EXPECT_EQ(told_by(own + end), both);
    EXPECT_EQ(told_by(own + error("22012", "") + end), "7 call acquire of 1; ");
    EXPECT_EQ(told_by(own + error("22012", "") + waits + end), both + "7 state acquire of 1; ");
}

TEST(PostgresReader, AKeyThatIsLackedInAnotherDatabaseIsNoDoubt) {
    const std::string one = line_of({.message = done("SELECT pg_advisory_lock(1)")}) +
                            line_of({.message = "disconnection: x"});
    const auto lacked = [](const char* database) {
        return line_of({.process = 8,
                        .message = done("SELECT pg_advisory_lock(id) FROM t"),
                        .database = database});
    };
    EXPECT_EQ(answered(one + lacked("other")), Answer::kExplained);
    EXPECT_EQ(answered(one + lacked("d")), Answer::kUndecided);
}

}  // namespace
}  // namespace lockkeeper::logs
