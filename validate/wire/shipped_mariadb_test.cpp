// SPDX-License-Identifier: Apache-2.0

// Locks on MariaDB, by clients as they are: those of sessions and of rows, wrong and right.
#include "model/missing_test.hpp"
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string python_with_pymysql() {
    static const std::string kFound = python_with("pymysql");
    return kFound;
}

#define SKIP_WITHOUT_MARIADB()                               \
    if (databases::find_program("mariadbd").empty()) {       \
        SKIP_FOR_LACK_OF("mariadb-server is not installed"); \
    }                                                        \
    if (python_with_pymysql().empty()) {                     \
        SKIP_FOR_LACK_OF("PyMySQL is not installed");        \
    }

std::string outcome_on_mariadb(const std::string& client, const std::string& scenario) {
    const OutsideResult result =
        searched_on(ServerKind::kMariadb, python_with_pymysql() + " " + client, scenario);
    EXPECT_EQ("", result.diverged) << client;
    if (!result.finding) {
        return result.complete ? "passed" : "inconclusive: " + result.limit;
    }
    return result.finding->property == nullptr ? result.finding->detail
                                               : std::string(result.finding->property->name);
}

std::string outcome_of_kind(const std::string& kind, const std::string& scenario = "two_callers") {
    return outcome_on_mariadb(kExamples + "user_lock.py " + kind, scenario);
}

TEST(ShippedMariadb, AUserLockIsOfItsConnection) {
    SKIP_WITHOUT_MARIADB();
    for (const char* scenario : everyday(1, {"two_callers", "killed"})) {
        EXPECT_EQ("passed", outcome_of_kind("user", scenario)) << scenario;
    }
    EXPECT_EQ("under-allocation", outcome_of_kind("pooled"));
}

TEST(ShippedMariadb, ARowIsLockedUntilItsTransactionEnds) {
    SKIP_WITHOUT_MARIADB();
    EXPECT_EQ("over-allocation", outcome_of_kind("committed"));
    for (const char* kind : everyday(0, {"row", "row_waits"})) {
        EXPECT_EQ("passed", outcome_of_kind(kind));
    }
}

// Each run has fresh sessions, so that the victim is the same one whenever a run is repeated.
TEST(ShippedMariadb, TheVictimOfADeadlockHoldsNothingAnyMore) {
    SKIP_WITHOUT_MARIADB();
    if (testing_model::is_short_run()) {
        GTEST_SKIP() << "make test-long searches it: some hundred schedules";
    }
    EXPECT_EQ("over-allocation", outcome_of_kind("goes_on", "two_keys"));
    EXPECT_EQ("passed", outcome_of_kind("rows", "two_keys"));
}

TEST(ShippedMariadb, WhoeverWaitsAtTheServerIsWokenByARelease) {
    SKIP_WITHOUT_MARIADB();
    EXPECT_EQ("passed", outcome_of_kind("waits"));
}

}  // namespace
}  // namespace lockkeeper::wire
