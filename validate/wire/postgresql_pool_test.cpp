// SPDX-License-Identifier: Apache-2.0

// PgBouncer between the callers and PostgreSQL, and what becomes of whoever loses a session.
#include "model/missing_test.hpp"
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string outcome_of_session(const std::string& driver, const std::string& scenario) {
    const OutsideResult result =
        searched_on(ServerKind::kPostgresql, python_with("psycopg2") + " " + driver, scenario);
    EXPECT_EQ("", result.diverged) << driver;
    if (!result.finding) {
        return result.complete ? "passed" : "inconclusive: " + result.limit;
    }
    return result.finding->property == nullptr ? result.finding->detail
                                               : std::string(result.finding->property->name);
}

#define SKIP_WITHOUT_POSTGRESQL()                                                       \
    if (databases::find_program("initdb").empty() || python_with("psycopg2").empty()) { \
        SKIP_FOR_LACK_OF("PostgreSQL or psycopg2 is not installed");                    \
    }

TEST(PostgresqlPool, ASessionsLockIsSharedByThoseToWhomASessionIsLent) {
    SKIP_WITHOUT_POSTGRESQL();
    if (databases::find_program("pgbouncer").empty()) {
        SKIP_FOR_LACK_OF("pgbouncer is not installed");
    }
    const std::string driver = kExamples + "session_lock.py ";
    EXPECT_EQ("over-allocation", outcome_of_session(driver + "session", "pgbouncer/transaction"));
    for (const char* kind : everyday(0, {"transaction", "session"})) {
        const std::string mode = kind;
        EXPECT_EQ("passed", outcome_of_session(driver + mode, "pgbouncer/" + mode)) << mode;
    }
}

TEST(PostgresqlPool, ACommandThatStartsNoPoolerIsNotTheClientsFault) {
    SKIP_WITHOUT_POSTGRESQL();
    WirePlan plan;
    plan.server = ServerKind::kPostgresql;
    plan.command = "true";
    plan.outside.command = "echo no such pool {dir} >&2; exit 3";
    const WireScenario made = for_wire(built_in_wire(2, "acquire,release"), plan, {}, false);
    try {
        const Wire wire(settings_of(made.plan, made.world));
        FAIL() << "a pooler that ends is taken for one that runs";
    } catch (const BadInput& error) {
        EXPECT_NE(std::string::npos, std::string(error.what()).find("no such pool"))
            << error.what();
    }
}

TEST(PostgresqlPool, ItsCommandNamesTheFolderOfItsSocket) {
    WirePlan plan;
    plan.server = ServerKind::kPostgresql;
    plan.outside.command = "pgbouncer";
    EXPECT_THROW(static_cast<void>(for_wire(built_in_wire(2, "acquire,release"), plan, {}, false)),
                 BadInput);
}

// The end of a session is no end of the server.
TEST(Postgresql, ACallerMayEndTheSessionOfAnother) {
    SKIP_WITHOUT_POSTGRESQL();
    EXPECT_EQ("over-allocation",
              outcome_of_session(LOCKKEEPER_SOURCE_DIR
                                 "/validate/wire/test_clients/patient_session_lock.py steals",
                                 "two_callers"));
}

}  // namespace
}  // namespace lockkeeper::wire
