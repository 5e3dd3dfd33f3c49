// SPDX-License-Identifier: Apache-2.0

// Tests the server's losses at a restart or a fail-over, and its execution of late requests.
#include <algorithm>

#include "scenarios/bad_input.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

constexpr Action kCallOfA{0, ActionKind::kStep, 0};
constexpr Action kCallOfB{1, ActionKind::kStep, 0};
constexpr Action kRequestOfA{0, ActionKind::kStep, 1};
constexpr Action kRequestOfB{1, ActionKind::kStep, 1};
constexpr Action kServerRestarts{0, ActionKind::kDisturb, kServerRestart};
constexpr Action kReplica{0, ActionKind::kDisturb, kFailOver};
constexpr Action kEmptyServer{0, ActionKind::kDisturb, kFailOverToEmpty};
constexpr Action kLateRequestOfA{0, ActionKind::kDisturb, kLateFirst};
constexpr Action kKillOfA{0, ActionKind::kCrash, 0};
constexpr Action kRestartOfA{0, ActionKind::kDisturb, kRestartArgument};

struct StepByStep {
    StepByStep(const std::string& kind, OutsideWorld its_world, const WireScope& scope)
        : world(std::move(its_world)), wire(settings(kind)), run(wire, world, scope) {
        run.begin();
    }
    static WireSettings settings(const std::string& kind) {
        WireSettings made;
        made.command = raw_client(kind);
        made.callers = 3;
        return made;
    }
    bool allows(Action action) {
        const std::vector<Action> enabled = run.enabled();
        return std::find(enabled.begin(), enabled.end(), action) != enabled.end();
    }
    WireRun::Step take(Action action) {
        EXPECT_TRUE(allows(action));
        return run.take(action);
    }
    std::size_t keys_count() { return wire.server().keys().size(); }

    OutsideWorld world;
    Wire wire;
    WireRun run;
};

WireScope server_restarts() {
    WireScope scope;
    scope.server_restarts_max = 1;
    return scope;
}

TEST(ServerFaults, ARestartKeepsKeysAndLosesScriptsAndConnections) {
    SKIP_WITHOUT_REDIS();
    StepByStep held("sha_right", two_callers(), server_restarts());
    held.take(kCallOfA);
    const WireRun::Step granted = held.take({0, ActionKind::kStep, 1});
    EXPECT_EQ("-> OK, acquired", granted.result);
    const std::vector<KeyState> before = held.wire.server().keys();
    EXPECT_EQ(1U, before.size());
    EXPECT_EQ("the server restarts", held.take(kServerRestarts).text);
    EXPECT_EQ(before, held.wire.server().keys());
    EXPECT_FALSE(held.allows(kServerRestarts));
    held.take(kCallOfA);
    constexpr Action kOnAnotherConnection{0, ActionKind::kStep, 3};
    const WireRun::Step unknown = held.take(kOnAnotherConnection);
    EXPECT_NE(std::string::npos, unknown.result.find("NOSCRIPT")) << unknown.result;
    const WireRun::Step load = held.take(kOnAnotherConnection);
    EXPECT_NE(std::string::npos, load.text.find("SCRIPT LOAD")) << load.text;
    EXPECT_EQ("-> 1, released", held.take(kOnAnotherConnection).result);
}

TEST(ServerFaults, ALockThatLoadsItsScriptOnceIsNotReleasedAfterARestart) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("leak", found_with("sha", server_restarts(), two_callers()));
    EXPECT_EQ("nothing", found_with("sha", {}, two_callers()));
    EXPECT_EQ("nothing", found_with("sha_right", server_restarts(), two_callers_or_less()));
}

TEST(ServerFaults, AFailOverLosesTheLastWriteOrEverything) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers();
    world.world.keys.emplace_back("web");
    world.world.callers[1].script[0].key = 1;
    WireScope scope;
    scope.failovers_max = 1;
    for (const bool to_empty : {false, true}) {
        StepByStep held("for_ever", world, scope);
        held.take(kCallOfA);
        held.take(kRequestOfA);
        EXPECT_TRUE(held.allows(kReplica));
        EXPECT_FALSE(held.allows(kEmptyServer));  // the last write is all that there is
        held.take(kCallOfB);
        held.take(kRequestOfB);
        EXPECT_EQ(2U, held.keys_count());
        EXPECT_EQ(to_empty ? "the server fails over to an empty one"
                           : "the server fails over to a replica without the last write",
                  held.take(to_empty ? kEmptyServer : kReplica).text);
        EXPECT_EQ(to_empty ? 0U : 1U, held.keys_count());
    }
}

WireScope late() {
    WireScope scope;
    scope.late_max = 1;
    return scope;
}

// A acquires, releases, acquires again; B acquires once.
OutsideWorld killed() {
    OutsideWorld world = two_callers({Verb::kAcquire});
    world.world.callers[0].script = two_callers().world.callers[0].script;
    world.world.callers[0].script.emplace_back();  // an acquire
    world.world.crashes_max = world.world.restarts_max = 1;
    world.world.callers[1].may_crash = false;
    // That a lock without an end leaks with its holder is another mistake.
    std::erase_if(world.check, [](const Property* property) {
        return !property->is(PropertyNumber::kOverAllocation);
    });
    return world;
}

TEST(ServerFaults, ARequestOfAKilledCallerMayBeExecutedLater) {
    SKIP_WITHOUT_REDIS();
    for (const bool is_late : {false, true}) {
        StepByStep held("right", killed(), is_late ? late() : WireScope{});
        held.take(kCallOfA);
        held.take(kKillOfA);
        EXPECT_EQ(is_late, held.allows(kLateRequestOfA));
        EXPECT_TRUE(held.allows(kRestartOfA));
        if (is_late) {
            const WireRun::Step step = held.take(kLateRequestOfA);
            EXPECT_EQ(0U, step.text.find("the server executes what A had sent before it was "
                                         "killed: SET db"))
                << step.text;
            EXPECT_EQ(1U, held.keys_count());
            EXPECT_FALSE(held.allows(kLateRequestOfA));
        }
        held.take(kCallOfB);
        EXPECT_EQ(is_late ? "-> (nil), refused" : "-> OK, acquired", held.take(kRequestOfB).result);
    }
}

TEST(ServerFaults, ARequestOfALostConnectionMayBeExecutedLater) {
    SKIP_WITHOUT_REDIS();
    constexpr Action kLossOfA{0, ActionKind::kFault, 1};
    for (const bool is_late : {false, true}) {
        WireScope scope = is_late ? late() : WireScope{};
        scope.drops_max = 1;
        scope.splits = true;
        StepByStep held("right", two_callers(), scope);
        held.take(kCallOfA);
        EXPECT_NE(std::string::npos, held.take(kLossOfA).result.find("error"));
        EXPECT_EQ(is_late, held.allows(kLateRequestOfA));
        if (is_late) {
            const std::string text = held.take(kLateRequestOfA).text;
            EXPECT_EQ(0U, text.find("the server executes what A had sent on a connection that is "
                                    "lost: SET db"))
                << text;
        }
        EXPECT_EQ(is_late ? 1U : 0U, held.keys_count());
        EXPECT_FALSE(held.allows(kLateRequestOfA));
    }
}

TEST(ServerFaults, AReleaseOfALostConnectionTakesTheLockFromWhoHasItAgain) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = killed();
    world.world.crashes_max = world.world.restarts_max = 0;
    WireScope scope = late();
    scope.drops_max = 1;
    EXPECT_EQ("over-allocation", found_with("by_name", scope, world));
    EXPECT_EQ("nothing", found_with("right", scope, world));
    if (!testing_model::is_short_run()) {
        scope.late_max = 0;
        EXPECT_EQ("nothing", found_with("by_name", scope, world));
    }
}

TEST(ServerFaults, AReleaseThatComesLateTakesTheLockFromItsNextHolder) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("over-allocation", found_with("by_name", late(), killed()));
    // Without that scope, no request of a killed caller comes late; the cases above test the scope,
    // also with the right lock.
    if (!testing_model::is_short_run()) {
        EXPECT_EQ("nothing", found_with("by_name", {}, killed()));
        EXPECT_EQ("nothing", found_with("right", late(), killed()));
    }
}

TEST(ServerFaults, NothingOfAPostgresqlSessionComesLate) {
    WirePlan plan;
    plan.server = ServerKind::kPostgresql;
    ScopeFlags flags;
    flags.late = 1;
    try {
        static_cast<void>(for_wire(built_in_wire(2, "acquire,release"), plan, flags, true));
        ADD_FAILURE() << "accepted";
    } catch (const UsageError& error) {
        EXPECT_EQ(0U, std::string(error.what()).find("--wire postgresql: ")) << error.what();
    }
    plan.server = ServerKind::kRedis;
    EXPECT_EQ(1U, for_wire(built_in_wire(2, "acquire"), plan, flags, true).plan.scope.late_max);
}

}  // namespace
}  // namespace lockkeeper::wire
