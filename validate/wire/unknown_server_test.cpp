// SPDX-License-Identifier: Apache-2.0

// Right and wrong locks on a server that Lockkeeper does not know, held and on real time.
#include "validate/wire/unknown_server_test.hpp"

#include "model/slow_build_test.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/outside/verdict.hpp"
#include "validate/wire/framing.hpp"

namespace lockkeeper::wire {
namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(UnknownServers, RightLocksPassAndWrongOnesAreFoundByLinesLengthsAndHttp) {
    SKIP_WITHOUT_PYTHON();
    for (const char* framing : {"newline", "length", "http"}) {
        SCOPED_TRACE(framing);
        EXPECT_EQ("passed", verdict_on({.framing = framing, .or_less = true}));
        EXPECT_EQ("over-allocation", verdict_on({.framing = framing, .client = "get_then_set"}));
    }
}

TEST(UnknownServers, AreStartedAgainForEachRunWhereNoRequestResetsThem) {
    SKIP_WITHOUT_PYTHON();
    EXPECT_EQ("passed", verdict_on({.is_reset = false, .or_less = true}));
}

TEST(UnknownServers, ARequestWithoutAnAnswerWaitsAtTheServer) {
    SKIP_WITHOUT_PYTHON();
    const UnknownResult right = searched({.client = "waits"});
    EXPECT_EQ("passed", right.verdict);
    EXPECT_EQ(0U, right.search.tally.answers.refusals);
    EXPECT_EQ("deadlock", verdict_on({.client = "waits_and_keeps"}));
}

// It may only take its time, as etcd does until it has a leader.
TEST(UnknownServers, ARequestWithoutAnAnswerIsNoWaitOnRealTime) {
    SKIP_WITHOUT_PYTHON();
    const std::string verdict =
        verdict_on({.client = "waits_and_keeps", .server_is_held = false, .answer_seconds = 3});
    EXPECT_TRUE(holds(verdict, "on real time nobody sees that it waits")) << verdict;
}

TEST(UnknownServers, AKilledCallersLockIsALeakWhereItHasNoEnd) {
    SKIP_WITHOUT_PYTHON();
    EXPECT_EQ("leak", verdict_on({.crashes = 1}));
    EXPECT_EQ("passed", verdict_on({.client = "silent_end",
                                    .seconds = 10,
                                    .says_leases = true,
                                    .crashes = 1,
                                    .or_less = true}));
}

// The server's own timer ends it, an hour later.
TEST(UnknownServers, AHeldServersClockGoesOn) {
    SKIP_WITHOUT_PYTHON();
    WireScope scope;
    scope.expiries_max = 1;
    const UnknownResult right = searched({.seconds = 10, .scope = scope, .or_less = true});
    // It does not say when, and could have ended it at another moment.
    EXPECT_EQ("inconclusive: moments of time", right.verdict);
    ASSERT_EQ(1U, right.search.tally.remarks.size());
    EXPECT_TRUE(holds(*right.search.tally.remarks.begin(), "does not say when its locks end"));
    EXPECT_TRUE(right.search.tally.sees_lease_end);
    EXPECT_EQ("false-ok", verdict_on({.client = "anybody", .seconds = 10, .scope = scope}));
}

TEST(UnknownServers, WhatADriverPreparesIsKeptAsTheirFolder) {
    SKIP_WITHOUT_PYTHON();
    UnknownServer asked{.client = "makes", .is_reset = false, .has_folder = true, .or_less = true};
    EXPECT_EQ("passed", verdict_on(asked));
    asked.has_folder = false;
    EXPECT_THROW(static_cast<void>(searched(asked)), BadInput);
}

TEST(UnknownServers, TheEndOfALeaseIsForcedOnRealTimeAndTheReportSaysSo) {
    SKIP_WITHOUT_PYTHON();
    WireScope scope;
    scope.expiries_max = 1;
    UnknownServer asked{.client = "silent_end",
                        .seconds = 10,
                        .server_is_held = false,
                        .says_leases = true,
                        .scope = scope,
                        .or_less = true};
    const UnknownResult right = searched(asked);
    EXPECT_EQ("passed", right.verdict);
    ASSERT_EQ(1U, right.search.tally.remarks.size());
    EXPECT_TRUE(holds(*right.search.tally.remarks.begin(), "ends of leases were forced"));
    asked.client = "anybody";
    EXPECT_EQ("false-ok", verdict_on(asked));
}

TEST(UnknownServers, WithoutThatRequestNoTimePassesAndNothingIsPassed) {
    SKIP_WITHOUT_PYTHON();
    WireScope scope;
    scope.expiries_max = 1;
    const std::string verdict =
        verdict_on({.seconds = 10, .server_is_held = false, .scope = scope});
    EXPECT_TRUE(holds(verdict, "the end of a lock was not possible")) << verdict;
    const std::string killed =
        verdict_on({.seconds = 10, .server_is_held = false, .crashes = 1, .or_less = true});
    EXPECT_TRUE(holds(killed, "within an hour is not known")) << killed;
}

// Its timers are not ended, behind which it would not come to rest. Whether the node of a killed
// caller would have ended is not known; a broken lock is found.
TEST(UnknownServers, NoTimePassesForZookeeperAndAKilledCallersNodeIsNoLeak) {
    SKIP_WITHOUT_PYTHON();
    if (testing_model::kIsSanitized) {
        GTEST_SKIP() << "the stand-in is not always at rest within ten seconds there";
    }
    UnknownServer asked{.crashes = 1, .alone = true};
    WireSettings settings = settings_of(asked);
    settings.outside = {};
    settings.outside.framing = "zookeeper";
    settings.outside.command = run_by_python("zookeeper_lock.py", true) + " server {port}";
    const auto searched_with = [&](const char* kind) {
        settings.command = run_by_python("zookeeper_lock.py", true) + " " + kind;
        return searched(asked, settings);
    };
    const UnknownResult killed = searched_with("right");
    EXPECT_TRUE(holds(killed.verdict, "no time passed for the server (ZooKeeper"))
        << killed.verdict;
    EXPECT_TRUE(holds(killed.verdict, "within an hour is not known")) << killed.verdict;
    ASSERT_EQ(1U, killed.search.tally.remarks.size());
    EXPECT_TRUE(holds(*killed.search.tally.remarks.begin(), "; no lease was ended"));
    EXPECT_FALSE(holds(*killed.search.tally.remarks.begin(), "cannot be given a clock"));
    asked.crashes = 0;
    EXPECT_EQ("passed", searched_with("right").verdict);
    asked.alone = false;
    EXPECT_EQ("over-allocation", searched_with("looks_first").verdict);
}

TEST(UnknownServers, AReplaySaysWhatRanOnRealTimeAndIsNoPassEither) {
    SKIP_WITHOUT_PYTHON();
    OutsideWorld world = two_callers();
    WireScope scope;
    scope.expiries_max = 1;
    for (const bool is_held : {true, false}) {
        Wire wire(settings_of({.seconds = 10, .server_is_held = is_held}));
        WireSearch search(wire, world, scope, exploring());
        const Schedule run{1, {{0, ActionKind::kStep, 0}, {0, ActionKind::kStep, 1}}};
        const OutsideVerdict replayed = judge_replay(search, run, {});
        ASSERT_EQ(2U, replayed.trace.steps.size() - replayed.trace.look_steps);
        EXPECT_EQ(is_held ? 0U : 1U, replayed.trace.remarks.size());
        EXPECT_EQ(is_held, is<Passed>(replayed.verdict));
        const auto* open = std::get_if<Inconclusive>(&replayed.verdict);
        EXPECT_EQ(!is_held, open != nullptr && holds(open->detail, "on real time"));
    }
}

TEST(UnknownServers, AClientOnRealTimeIsNotJudgedByVirtualTime) {
    SKIP_WITHOUT_PYTHON();
    EXPECT_EQ("passed", verdict_on({.client_is_held = false, .or_less = true}));
    EXPECT_EQ("over-allocation", verdict_on({.client = "get_then_set", .client_is_held = false}));
    WireScope scope;
    scope.expiries_max = 1;
    const UnknownResult result =
        searched({.client = "anybody", .seconds = 10, .client_is_held = false, .scope = scope});
    EXPECT_TRUE(holds(result.verdict, "A cannot be given a clock")) << result.verdict;
    EXPECT_FALSE(result.search.tally.sees_lease_end);
}

TEST(UnknownServers, ConnectionsAreLostAndTheServerRestarts) {
    SKIP_WITHOUT_PYTHON();
    WireScope scope;
    scope.server_restarts_max = 1;
    // The restart loses all that the server keeps in memory.
    EXPECT_EQ("over-allocation", verdict_on({.scope = scope}));
    WireScope drops;
    drops.drops_max = 1;
    EXPECT_EQ("leak", verdict_on({.scope = drops}));
}

}  // namespace
}  // namespace lockkeeper::wire
