// SPDX-License-Identifier: Apache-2.0

// Several servers of one kind, each a party of its own: locks that most of them have to grant.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string quorum_client(const std::string& kind) {
    return raw_client(kind, "", "quorum_lock.py");
}

std::string found_by(const std::string& kind, std::size_t servers, const WireScope& scope,
                     OutsideWorld world) {
    OutsideOptions options = exploring();
    options.schedules_max = 100'000;
    Held held(quorum_client(kind), std::move(world), scope, options, 10, Freshness::kKept, servers);
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    if (!result.finding) {
        return result.complete ? "nothing" : "incomplete: " + result.limit;
    }
    return result.finding->property == nullptr ? "misbehaved: " + result.finding->detail
                                               : std::string(result.finding->property->name);
}

OutsideWorld two_who_acquire() { return two_callers({Verb::kAcquire}); }

TEST(Quorum, MostOfThreeServersExcludeAndFewerDoNot) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_by("right", 3, {}, two_callers_or_less()));
    EXPECT_EQ("over-allocation", found_by("any", 3, {}, two_callers()));
    EXPECT_EQ("over-allocation", found_by("one", 3, {}, two_callers()));
}

// Each of the two callers asks one of five: they meet at none.
TEST(Quorum, FiveServersAreHeld) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("over-allocation", found_by("one", 5, {}, two_callers()));
    EXPECT_EQ("nothing", found_by("right", 5, {}, two_who_acquire()));
}

// What a server stores survives its crash. Where it is lost, or ends by another clock, two callers
// are granted most of the servers.
TEST(Quorum, ALockOfMostServersNeedsWhatTheyStore) {
    SKIP_WITHOUT_REDIS();
    WireScope jumps;
    jumps.server_jumps_max = 1;
    EXPECT_EQ("over-allocation", found_by("right", 3, jumps, two_who_acquire()));
    WireScope losses;
    losses.failovers_max = 1;
    EXPECT_EQ("belief-overlap", found_by("right", 3, losses, two_who_acquire()));
    if (testing_model::is_short_run()) {
        return;
    }
    WireScope crashes;
    crashes.server_crashes_max = 1;
    EXPECT_EQ("nothing", found_by("right", 3, crashes, two_who_acquire()));
    WireScope cuts;
    cuts.cuts_max = 1;
    EXPECT_EQ("nothing", found_by("right", 3, cuts, two_who_acquire()));
}

struct ThreeServers {
    explicit ThreeServers(const WireScope& scope)
        : world(two_who_acquire()), wire(settings()), run(wire, world, scope) {
        run.begin();
    }
    static WireSettings settings() {
        WireSettings made;
        made.command = quorum_client("right");
        made.callers = 3;
        made.servers = 3;
        return made;
    }
    bool allows(std::size_t actor, std::uint16_t argument) {
        const std::vector<Action> enabled = run.enabled();
        return std::find(enabled.begin(), enabled.end(), disturb(actor, argument)) != enabled.end();
    }
    WireRun::Step take(std::size_t actor, std::uint16_t argument) {
        EXPECT_TRUE(allows(actor, argument)) << actor << "." << argument;
        return run.take(disturb(actor, argument));
    }
    static Action disturb(std::size_t actor, std::uint16_t argument) {
        return {static_cast<std::uint8_t>(actor), ActionKind::kDisturb, argument};
    }
    // The first caller's next operation, with all that it asks. The last step's result.
    std::string acquire() {
        WireRun::Step step = run.take({0, ActionKind::kStep, 0});
        for (const auto* found = next(); found != nullptr; found = next()) {
            step =
                run.take({0, ActionKind::kStep, static_cast<std::uint16_t>(1 + 2 * found->number)});
        }
        return step.result;
    }
    const Connection* next() {
        for (const auto& connection : wire.proxy().of(0)) {
            if (!connection->requests.empty()) {
                return connection.get();
            }
        }
        return nullptr;
    }
    std::size_t keys_of(std::size_t server) { return wire.server(server).keys().size(); }

    OutsideWorld world;
    Wire wire;
    WireRun run;
};

TEST(Quorum, AServerThatHasCrashedIsReachedByNobodyUntilItStartsAgain) {
    SKIP_WITHOUT_REDIS();
    for (const bool is_empty : {false, true}) {
        WireScope scope;
        scope.server_crashes_max = scope.failovers_max = 1;
        ThreeServers held(scope);
        EXPECT_EQ("server 2 crashes", held.take(1, kServerCrash).text);
        EXPECT_FALSE(held.allows(1, kServerCrash));
        EXPECT_FALSE(held.allows(1, kFailOver));
        EXPECT_EQ("-> OK, acquired", held.acquire());
        EXPECT_EQ(0U, held.keys_of(1));
        EXPECT_EQ(1U, held.keys_of(0));
        const WireRun::Step starts = held.take(1, is_empty ? kServerStartsEmpty : kServerStarts);
        EXPECT_EQ(
            is_empty ? "server 2 starts again, empty" : "server 2 starts again with what it stored",
            starts.text);
        EXPECT_FALSE(held.wire.is_down(1));
    }
}

TEST(Quorum, WhatACrashedServerStoredIsThereAgainOrLost) {
    SKIP_WITHOUT_REDIS();
    for (const bool is_empty : {false, true}) {
        WireScope scope;
        scope.server_crashes_max = scope.failovers_max = 1;
        ThreeServers held(scope);
        EXPECT_EQ("-> OK, acquired", held.acquire());
        held.take(2, kServerCrash);
        held.take(2, is_empty ? kServerStartsEmpty : kServerStarts);
        EXPECT_EQ(is_empty ? 0U : 1U, held.keys_of(2));
        EXPECT_EQ(1U, held.keys_of(1));
    }
}

TEST(Quorum, ACutConcernsOneCallerAndOneServer) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.cuts_max = 1;
    ThreeServers held(scope);
    EXPECT_EQ("A no longer reaches server 3", held.take(0, kCutFirst + 2).text);
    EXPECT_FALSE(held.allows(1, kCutFirst + 2));
    EXPECT_TRUE(held.wire.is_cut_off(0, 2));
    EXPECT_FALSE(held.wire.is_cut_off(1, 2));
    EXPECT_EQ("-> OK, acquired", held.acquire());
    EXPECT_EQ(0U, held.keys_of(2));
    EXPECT_EQ("A reaches server 3 again", held.take(0, kReachFirst + 2).text);
}

// A key of ten seconds is over there, and nowhere else.
TEST(Quorum, EachServerHasAClock) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.server_jumps_max = 1;
    ThreeServers held(scope);
    EXPECT_EQ("-> OK, acquired", held.acquire());
    EXPECT_EQ("server 1's clock jumps forward by 60 s", held.take(0, kServerJumpForward).text);
    EXPECT_EQ(0U, held.keys_of(0));
    EXPECT_EQ(1U, held.keys_of(1));
    held.run.begin();
    EXPECT_EQ("-> OK, acquired", held.acquire());
    const std::int64_t end = held.wire.keys().front().expires_at;
    held.take(0, kServerJumpBack);
    EXPECT_EQ(end + 60'000, held.wire.keys().front().expires_at);
}

struct Looked {
    std::set<std::string> ends;
    std::uint64_t schedules = 0;
};

Looked looked_at(const OutsideWorld& world, const WireScope& scope, bool reduces) {
    Looked looked;
    OutsideOptions options = exploring();
    options.reduces = reduces;
    options.schedules_max = 1'000'000;
    options.on_outcome = [&](const std::string& outcome) { looked.ends.insert(outcome); };
    Held held(quorum_client("tells"), world, scope, options, 10, Freshness::kKept, 2);
    held.world.check.clear();
    const OutsideResult result = held.search->search();
    EXPECT_TRUE(result.complete) << result.limit << result.diverged;
    looked.schedules = result.schedules;
    return looked;
}

// The crash of a server, its start, and a cut commute with what does not touch it: the same ends
// as without that, in fewer runs.
TEST(Quorum, WhatCommutesWithACrashLosesNoEnd) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld alone = two_callers();
    alone.world.callers.resize(1);
    for (const OutsideWorld& world : {alone, two_who_acquire()}) {
        for (const bool crashes : {true, false}) {
            WireScope scope;
            (crashes ? scope.server_crashes_max : scope.cuts_max) = 1;
            const Looked all = looked_at(world, scope, false);
            const Looked fewer = looked_at(world, scope, true);
            EXPECT_EQ(all.ends, fewer.ends);
            EXPECT_LT(fewer.schedules, all.schedules);
            RecordProperty(
                (crashes ? "crashes_" : "cuts_") + std::to_string(world.world.callers.size()),
                fmt::format("{} of {}, {} ends", fewer.schedules, all.schedules, all.ends.size()));
        }
        if (testing_model::is_short_run()) {
            break;
        }
    }
}

TEST(Quorum, IsOnlyForRedis) {
    Scenario scenario = built_in_wire(2, "acquire,release");
    EXPECT_EQ(1U, for_wire(scenario, {}, {}, false).plan.servers);
    scenario.server.count = 3;
    EXPECT_EQ(3U, for_wire(scenario, {}, {}, false).plan.servers);
    WirePlan plan;
    plan.server = ServerKind::kPostgresql;
    EXPECT_THROW(static_cast<void>(for_wire(scenario, plan, {}, false)), BadInput);
    ScopeFlags cuts;
    cuts.cuts = 1;
    scenario.server.count = 1;
    EXPECT_THROW(static_cast<void>(for_wire(scenario, plan, cuts, false)), UsageError);
}

}  // namespace
}  // namespace lockkeeper::wire
