// SPDX-License-Identifier: Apache-2.0

// examples/wire: locks whose waiters are told, and servers that are put back as they were prepared.
#include "model/missing_test.hpp"
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string word_of_woken(const OutsideResult& result) {
    return !result.diverged.empty()              ? result.diverged
           : !result.finding                     ? (result.complete ? "passed" : "incomplete")
           : result.finding->property != nullptr ? std::string(result.finding->property->name)
                                                 : result.finding->detail;
}

std::string outcome_on(ServerKind server, const std::string& client, const std::string& scenario) {
    return word_of_woken(searched_on(server, client, scenario));
}

TEST(ShippedWoken, LocksWhoseWaitersAreToldByRedis) {
    const std::string python = python_with("redis");
    if (databases::find_program("redis-server").empty() || python.empty()) {
        SKIP_FOR_LACK_OF("redis-server or redis-py is not installed");
    }
    const std::string driver = python + " " + kExamples + "woken_lock.py ";
    EXPECT_EQ("passed", outcome_on(ServerKind::kRedis, driver + "subscribe", "two_callers"));
    EXPECT_EQ("passed", outcome_on(ServerKind::kRedis, driver + "blpop", "two_callers"));
    EXPECT_EQ("deadlock", outcome_on(ServerKind::kRedis, driver + "late", "two_callers"));
}

TEST(ShippedWoken, LocksWhoseWaitersAreToldByPostgresql) {
    const std::string python = python_with("psycopg2");
    if (databases::find_program("initdb").empty() || python.empty()) {
        SKIP_FOR_LACK_OF("PostgreSQL or psycopg2 is not installed");
    }
    const std::string driver = python + " " + kExamples + "notified_lock.py ";
    EXPECT_EQ("passed", outcome_on(ServerKind::kPostgresql, driver + "right", "two_callers"));
    EXPECT_EQ("deadlock", outcome_on(ServerKind::kPostgresql, driver + "late", "two_callers"));
}

TEST(ShippedWoken, ATableIsThereAsOftenAsItWasMadeBeforeTheRun) {
    const std::string python = python_with("psycopg2");
    if (databases::find_program("initdb").empty() || python.empty()) {
        SKIP_FOR_LACK_OF("PostgreSQL or psycopg2 is not installed");
    }
    const std::string driver = python + " " + kExamples + "table_lock.py ";
    EXPECT_EQ("passed", outcome_on(ServerKind::kPostgresql, driver + "itself", "two_callers"));
    SearchedOnOneServer prepared(ServerKind::kPostgresql, driver + "prepared");
    EXPECT_EQ("passed", word_of_woken(prepared.searched("two_callers")));
    // A row that a killed holder leaves in a table stays for ever: not of an untouched table, too.
    OutsideTrace shown;
    EXPECT_EQ("leak", word_of_woken(prepared.searched("killed", exploring(), &shown)));
    EXPECT_FALSE(shown.violated.empty());
}

TEST(ShippedWoken, AServerThatSleepsBeforeItServesIsWaitedFor) {
    if (databases::find_program("memcached").empty() || python_with("sys").empty()) {
        SKIP_FOR_LACK_OF("memcached or python3 is not installed");
    }
    const std::string driver = python_with("sys") + " " + kExamples + "memcached_lock.py ";
    EXPECT_EQ("passed", outcome_on(ServerKind::kTcp, driver + "1", "memcached/two_callers"));
    // Whoever is cut off and says "refused" is not refused for nothing.
    EXPECT_EQ("passed", outcome_on(ServerKind::kTcp, driver + "1", "memcached/cut_off"));
    // The key lives for a second at most.
    EXPECT_EQ("belief-overlap", outcome_on(ServerKind::kTcp, driver + "30", "memcached/expiry"));
    EXPECT_EQ("incomplete", outcome_on(ServerKind::kTcp, driver + "0", "memcached/expiry"));
    OutsideOptions drawn = exploring();
    drawn.method = OutsideMethod::kRandom;
    EXPECT_EQ("belief-overlap", word_of_woken(searched_on(ServerKind::kTcp, driver + "0.9",
                                                          "memcached/within_a_second", drawn)));
}

}  // namespace
}  // namespace lockkeeper::wire
