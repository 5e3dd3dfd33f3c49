// SPDX-License-Identifier: Apache-2.0

// The scenarios and locks of examples/wire: the sound locks pass each scenario completely, and what
// is wrong with the others is found.
#include <filesystem>
#include <set>

#include "model/missing_test.hpp"
#include "validate/wire/shipped_examples_test.hpp"

namespace lockkeeper::wire {
namespace {

// The result of a search of the scenario: a verdict, or the property that is violated.
std::string word_of(const OutsideResult& result) {
    if (!result.finding) {
        return !result.diverged.empty() ? result.diverged
               : result.complete        ? "passed"
                                        : "inconclusive: " + result.limit;
    }
    return result.finding->property == nullptr ? result.finding->detail
                                               : std::string(result.finding->property->name);
}

std::string outcome_with(const std::string& client, const std::string& name,
                         ServerKind server = ServerKind::kRedis) {
    return word_of(searched_on(server, client, name));
}

std::string outcome_of(const std::string& driver, const std::string& name) {
    return outcome_with(python_with_redis() + " " + kExamples + driver, name);
}

// Three scenarios take most of the runs; what they add to expiry.json and killed.json is shown by
// smaller tests, too.
bool takes_long(const std::string& scenario) {
    return std::set<std::string>{"again_after_expiry", "clock_set_back", "late_release"}.contains(
        scenario);
}

TEST(ShippedWire, SoundLocksPassEveryScenarioCompletely) {
    SKIP_WITHOUT_REDIS_PY();
    std::size_t scenarios = 0;
    SearchedOnOneServer held(ServerKind::kRedis,
                             python_with_redis() + " " + kExamples + "redis_py_lock.py");
    for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
        const std::string name = entry.path().stem().string();
        // A lock of one place: `weights` asks a semaphore of ten.
        if (entry.path().extension() != ".json" || name == "fail_over" || name == "weights") {
            continue;
        }
        ++scenarios;
        if (!testing_model::is_short_run() || !takes_long(name)) {
            EXPECT_EQ("passed", word_of(held.searched(name))) << name;
        }
    }
    EXPECT_LE(8U, scenarios);
}

// What a lock of most servers survives, and what not.
TEST(ShippedWire, ALockOfMostServers) {
    SKIP_WITHOUT_REDIS_PY();
    EXPECT_EQ("passed", outcome_of("quorum_lock.py right", "quorum/three_servers"));
    EXPECT_EQ("over-allocation", outcome_of("quorum_lock.py half", "quorum/three_servers"));
    EXPECT_EQ("over-allocation", outcome_of("quorum_lock.py one", "quorum/three_servers"));
    EXPECT_EQ("belief-overlap", outcome_of("quorum_lock.py right", "quorum/loss"));
    EXPECT_EQ("over-allocation", outcome_of("quorum_lock.py right", "quorum/clock"));
    if (!testing_model::is_short_run()) {
        EXPECT_EQ("passed", outcome_of("quorum_lock.py right", "quorum/crash"));
        EXPECT_EQ("passed", outcome_of("quorum_lock.py right", "quorum/cut"));
    }
}

TEST(ShippedWire, ALockThatReadsAReplicaWhichLags) {
    SKIP_WITHOUT_REDIS_PY();
    EXPECT_EQ("belief-overlap", outcome_of("replica_lock.py looks", "replica/two_callers"));
    EXPECT_EQ("under-allocation", outcome_of("replica_lock.py reads_back", "replica/two_callers"));
    EXPECT_EQ("belief-overlap", outcome_of("replica_lock.py primary", "replica/fail_over"));
    if (!testing_model::is_short_run()) {
        EXPECT_EQ("passed", outcome_of("replica_lock.py primary", "replica/two_callers"));
    }
}

TEST(ShippedWire, ADriverMaySleepWhileItStarts) {
    SKIP_WITHOUT_REDIS_PY();
    EXPECT_EQ("passed", outcome_with("sleep 0.5; exec " + python_with_redis() + " " + kExamples +
                                         "redis_py_lock.py",
                                     "two_callers"));
}

bool has_gem(const std::string& name) {
    return std::system(("ruby -e 'require \"" + name + "\"' 2>/dev/null").c_str()) == 0;
}

// ctest -L long. Each wrong lock is right where its mistake does not matter; and what each language
// and server has in common with the others.
TEST(ShippedWire, DISABLED_LongWhatTheOthersShowAsWell) {
    ASSERT_FALSE(databases::find_program("redis-server").empty() || python_with_redis().empty());
    ASSERT_FALSE(databases::find_program("node").empty() ||
                 databases::find_program("initdb").empty());
    ASSERT_TRUE(has_gem("redis") && has_gem("pg"));
    const std::string node = "node --random-seed=1 --no-memory-reducer " + kExamples;
    const std::string ruby = "ruby " + kExamples;
    EXPECT_EQ("passed", outcome_of("broken_locks.py right", "renewal_after_expiry"));
    EXPECT_EQ("passed", outcome_of("broken_locks.py end_from_wall_clock", "expiry"));
    EXPECT_EQ("belief-overlap",
              outcome_of("broken_locks.py release_of_anybody", "again_after_expiry"));
    EXPECT_EQ("passed", outcome_with(node + "set_nx_px.js", "server_restart"));
    EXPECT_EQ("passed", outcome_with(ruby + "set_nx_px.rb", "renewal_after_expiry"));
    for (const char* kind : {"advisory_lock.rb session", "advisory_lock.rb waits"}) {
        const char* scenario = std::string(kind).ends_with("waits") ? "two_callers" : "killed";
        EXPECT_EQ("passed", outcome_with(ruby + kind, scenario, ServerKind::kPostgresql)) << kind;
    }
}

TEST(ShippedWire, ClientsInJavaScriptAreHeldAsWell) {
    SKIP_WITHOUT_REDIS();
    if (databases::find_program("node").empty()) {
        GTEST_SKIP() << "node is not installed";
    }
    const std::string node = "node --random-seed=1 --no-memory-reducer " + kExamples;
    EXPECT_EQ("passed", outcome_with(node + "set_nx_px.js", "two_callers"));
    EXPECT_EQ("false-ok", outcome_with(node + "set_nx_px.js --release-anybody", "expiry"));
}

TEST(ShippedWire, ClientsInCAreHeldAsWell) {
    SKIP_WITHOUT_REDIS();
    const std::string program = testing::TempDir() + "lockkeeper_set_nx_px";
    if (!std::filesystem::exists("/usr/include/hiredis/hiredis.h")) {
        SKIP_FOR_LACK_OF("hiredis is not installed");
    }
    ASSERT_EQ(0, std::system(("cc -Wall -Wextra -Werror -o " + program + " " + kExamples +
                              "set_nx_px.c -lhiredis")
                                 .c_str()));
    EXPECT_EQ("passed", outcome_with(program, "expiry"));
    EXPECT_EQ("false-ok", outcome_with(program + " --release-anybody", "expiry"));
}

// One run of each: BEAM starts slowly. A node wakes by itself again and again, for nothing, so no
// wait of a caller ends by time.
TEST(ShippedWire, ClientsInErlangAreHeldAsWell) {
    SKIP_WITHOUT_REDIS();
    NEEDS_TOOL("escript");
    for (const char* flag : {"", " --release-anybody"}) {
        const bool is_right = *flag == '\0';
        OutsideWorld world = two_callers();
        WireScope scope;
        scope.wakes_max = 0;
        scope.expiries_max = 1;
        scope.splits = true;
        Held held("escript " + kExamples + "set_nx_px.erl" + flag, std::move(world), scope,
                  exploring());
        const auto step = [](std::uint8_t caller, std::uint16_t argument) {
            return Action{caller, ActionKind::kStep, argument};
        };
        // Its key has ended when A gives it back.
        const OutsideTrace trace = held.search->replay({step(0, 0),
                                                        step(0, 1),
                                                        step(0, 2),
                                                        {0, ActionKind::kTime, 1},
                                                        step(0, 0),
                                                        step(0, 1),
                                                        step(0, 2)});
        ASSERT_LE(7U, trace.steps.size());
        EXPECT_EQ(is_right ? "-> 0, lost" : "-> 0, released", trace.steps[6].result);
    }
}

TEST(ShippedWire, ClientsInRubyAreHeldAsWell) {
    SKIP_WITHOUT_REDIS();
    if (!has_gem("redis")) {
        SKIP_FOR_LACK_OF("Ruby or its gem redis is not installed");
    }
    const std::string lock = "ruby " + kExamples + "set_nx_px.rb";
    SearchedOnOneServer right(ServerKind::kRedis, lock);
    EXPECT_EQ("passed", word_of(right.searched("two_callers")));
    EXPECT_EQ("passed", word_of(right.searched("lost_answer")));
    EXPECT_EQ("false-ok", outcome_with(lock + " --release-anybody", "expiry"));
}

TEST(ShippedWire, AnAdvisoryLockInRubyStaysWithTheConnectionInThePool) {
    if (databases::find_program("initdb").empty() || !has_gem("pg")) {
        SKIP_FOR_LACK_OF("PostgreSQL, Ruby or its gem pg is not installed");
    }
    const auto outcome = [&](const std::string& kind) {
        return outcome_with("ruby " + kExamples + "advisory_lock.rb " + kind, "two_callers",
                            ServerKind::kPostgresql);
    };
    EXPECT_EQ("passed", outcome("session"));
    EXPECT_EQ("under-allocation", outcome("pooled"));
}

TEST(ShippedWire, ASessionsLockDoesNotSurviveItsPool) {
    const std::string python = python_with("psycopg2");
    if (databases::find_program("initdb").empty() || python.empty()) {
        GTEST_SKIP() << "PostgreSQL or psycopg2 is not installed";
    }
    const std::string driver = python + " " + kExamples + "session_lock.py ";
    const auto outcome = [&](const std::string& kind, const std::string& name) {
        return outcome_with(driver + kind, name, ServerKind::kPostgresql);
    };
    SearchedOnOneServer session(ServerKind::kPostgresql, driver + "session");
    EXPECT_EQ("passed", word_of(session.searched("two_callers")));
    EXPECT_EQ("passed", word_of(session.searched("killed")));
    EXPECT_EQ("over-allocation", word_of(session.searched("server_restart")));
    EXPECT_EQ("passed", outcome("waits", "two_callers"));
    EXPECT_EQ("over-allocation", outcome("pooled", "two_callers"));
}

TEST(ShippedWire, WhatOneServerKeepsAloneIsLostWithIt) {
    SKIP_WITHOUT_REDIS_PY();
    EXPECT_EQ("belief-overlap", outcome_of("redis_py_lock.py", "fail_over"));
}

TEST(ShippedWire, EveryMistakeIsFound) {
    SKIP_WITHOUT_REDIS_PY();
    const struct {
        const char* lock;
        const char* scenario;
        const char* property;
    } rows[] = {
        {"release_of_anybody", "expiry", "false-ok"},
        {"check_and_delete", "again_after_expiry", "belief-overlap"},
        {"set_then_expire", "killed", "leak"},
        {"end_from_answer", "expiry", "belief-overlap"},
        {"end_from_wall_clock", "clock_set_back", "belief-overlap"},
        {"renewal_of_anybody", "renewal_after_expiry", "belief-overlap"},
        {"get_and_set", "two_callers", "over-allocation"},
        {"retried_counter", "lost_answer", "leak"},
        {"script_loaded_once", "server_restart", "leak"},
        {"token_of_worker", "late_release", "over-allocation"},
    };
    for (const auto& row : rows) {
        if (testing_model::is_short_run() && std::string(row.scenario) == "late_release") {
            continue;  // server_faults_test.cpp has this mistake in a smaller client
        }
        EXPECT_EQ(row.property,
                  outcome_of(std::string("broken_locks.py ") + row.lock, row.scenario))
            << row.lock << " " << row.scenario;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
