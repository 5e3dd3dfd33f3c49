// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's time-outs end when the search says so.
#include <cstdlib>

#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string session_client(const std::string& kind) {
    return "/usr/bin/python3 " LOCKKEEPER_SOURCE_DIR
           "/validate/wire/test_clients/patient_session_lock.py " +
           kind;
}

#define SKIP_WITHOUT_PSYCOPG2()                                                  \
    if (databases::find_program("postgres").empty() ||                           \
        std::system("/usr/bin/python3 -c 'import psycopg2' 2>/dev/null") != 0) { \
        GTEST_SKIP() << "postgresql or psycopg2 is not installed";               \
    }

struct HeldSessions {
    HeldSessions(const std::string& kind, const std::vector<Verb>& script, std::uint8_t crashes = 0)
        : world(two_callers(script)) {
        world.world.crashes_max = crashes;
        WireSettings settings;
        settings.server = ServerKind::kPostgresql;
        settings.command = session_client(kind);
        settings.callers = 3;
        wire = std::make_unique<Wire>(settings);
        search = std::make_unique<WireSearch>(*wire, world, WireScope{}, exploring());
    }
    OutsideWorld world;
    std::unique_ptr<Wire> wire;
    std::unique_ptr<WireSearch> search;
};

// Everything that happens where the caller whose turn it is goes on until it waits, and the clock
// goes on when nobody else can.
std::string run_through(HeldSessions& held) {
    WireRun run(*held.wire, held.world, {});
    run.begin();
    std::string out;
    for (std::vector<Action> enabled = run.enabled(); !enabled.empty(); enabled = run.enabled()) {
        const WireRun::Step step = run.take(enabled.front());
        out += step.text + " " + step.result + "\n";
    }
    return out;
}

TEST(PostgresqlTime, ALockTimeoutEndsByTheHarnesssClock) {
    SKIP_WITHOUT_REDIS();
    SKIP_WITHOUT_PSYCOPG2();
    HeldSessions held("right", {Verb::kAcquire});
    const std::string first = run_through(held);
    EXPECT_NE(std::string::npos, first.find("request has waited at the server for")) << first;
    EXPECT_NE(std::string::npos, first.find("refused")) << first;
    EXPECT_EQ(kBeginning + 2'000'000'000, held.wire->now() / 1'000'000 * 1'000'000) << first;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(first, run_through(held));
    }
}

TEST(PostgresqlTime, ADeadlockIsSeenByTheServerWhenItsTimeHasCome) {
    SKIP_WITHOUT_REDIS();
    SKIP_WITHOUT_PSYCOPG2();
    HeldSessions held("cross", {Verb::kAcquire, Verb::kRelease});
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    EXPECT_FALSE(result.finding) << result.finding->property->name;
    EXPECT_TRUE(result.complete) << result.limit;
    EXPECT_LT(0U, result.tally.answers.refusals);
    HeldSessions keeps("keeps", {Verb::kAcquire, Verb::kRelease});
    const OutsideResult of_keeps = keeps.search->search();
    ASSERT_TRUE(of_keeps.finding && of_keeps.finding->property != nullptr);
    EXPECT_EQ("deadlock", of_keeps.finding->property->name);
}

TEST(PostgresqlTime, WhoTakesATimeoutForAGrantIsFound) {
    SKIP_WITHOUT_REDIS();
    SKIP_WITHOUT_PSYCOPG2();
    const auto found = [](const std::string& kind) {
        // A time-out ends an acquire: what is released afterwards is for whole scopes.
        HeldSessions held(kind, testing_model::is_short_run()
                                    ? std::vector<Verb>{Verb::kAcquire}
                                    : std::vector<Verb>{Verb::kAcquire, Verb::kRelease});
        const OutsideResult result = held.search->search();
        EXPECT_EQ("", result.diverged);
        return !result.finding                       ? result.complete ? "nothing" : result.limit
               : result.finding->property == nullptr ? result.finding->detail
                                                     : std::string(result.finding->property->name);
    };
    EXPECT_EQ("over-allocation", found("wrong"));
    EXPECT_EQ("nothing", found("right"));
}

// The harness does not see the tables: each run asks for itself what is free at its end.
TEST(PostgresqlTime, ARowThatAKilledCallerLeavesIsALeak) {
    SKIP_WITHOUT_PSYCOPG2();
    HeldSessions held("row", {Verb::kAcquire, Verb::kRelease}, 1);
    const OutsideResult result = held.search->search();
    ASSERT_TRUE(result.finding) << result.limit << result.diverged;
    ASSERT_NE(nullptr, result.finding->property);
    EXPECT_EQ("leak", result.finding->property->name);
}

}  // namespace
}  // namespace lockkeeper::wire
