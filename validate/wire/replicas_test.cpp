// SPDX-License-Identifier: Apache-2.0

// A primary with replicas that lag.
#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "scenarios/bad_input.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

struct Seen {
    std::string outcome;  // the property; "nothing": none, completely
    std::string steps;    // a line each
};

Seen seen_with(const std::string& kind, std::size_t replicas, OutsideWorld world,
               const WireScope& scope = {}) {
    OutsideOptions options = exploring();
    options.schedules_max = 100'000;
    Held held(raw_client(kind, "", "replica_lock.py"), std::move(world), scope, options, 10,
              Freshness::kKept, 1 + replicas, replicas);
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    if (!result.finding) {
        return {result.complete ? "nothing" : "incomplete: " + result.limit, ""};
    }
    if (result.finding->property == nullptr) {
        return {"misbehaved: " + result.finding->detail, ""};
    }
    const OutsideTrace trace = held.search->show(held.search->shrink(*result.finding));
    Seen seen{std::string(result.finding->property->name), ""};
    for (const auto& step : trace.steps) {
        seen.steps += step.text + " " + step.result + "\n";
    }
    return seen;
}

bool mentions(const Seen& seen, const std::string& words) {
    return seen.steps.find(words) != std::string::npos;
}

TEST(Replicas, DoNotMatterToWhoAsksThePrimaryAlone) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", seen_with("primary", 1, two_callers_or_less()).outcome);
    if (!testing_model::is_short_run()) {
        EXPECT_EQ("nothing", seen_with("primary", 2, two_callers({Verb::kAcquire})).outcome);
    }
}

// A is granted, the replica does not have it yet, and B sees it free.
TEST(Replicas, ShowAsFreeWhatSomebodyHolds) {
    SKIP_WITHOUT_REDIS();
    const Seen seen = seen_with("looks", 1, two_callers());
    EXPECT_EQ("belief-overlap", seen.outcome);
    EXPECT_TRUE(mentions(seen, "at the replica: GET db")) << seen.steps;
    EXPECT_TRUE(mentions(seen, "at the primary: SET db")) << seen.steps;
}

// One caller alone is refused, because its own change has not arrived.
TEST(Replicas, DoNotShowOnesOwnWrite) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld alone = two_callers();
    alone.world.callers.pop_back();
    const Seen seen = seen_with("reads_back", 1, alone);
    EXPECT_EQ("under-allocation", seen.outcome);
    EXPECT_FALSE(mentions(seen, "receives")) << seen.steps;
}

std::set<std::string> ends_with_replica(const std::string& kind, bool reduces,
                                        const WireScope& scope) {
    OutsideWorld world = two_callers({Verb::kAcquire});
    std::erase_if(world.check, [](const Property* property) {
        return !property->is(PropertyNumber::kOverAllocation);
    });
    std::set<std::string> ends;
    OutsideOptions options = exploring();
    options.reduces = options.uses_source_sets = reduces;
    options.schedules_max = 1'000'000;
    options.on_outcome = [&](const std::string& outcome) { ends.insert(outcome); };
    Held held(raw_client(kind, "", "replica_lock.py"), std::move(world), scope, options, 10,
              Freshness::kKept, 2, 1);
    const OutsideResult result = held.search->search();
    EXPECT_TRUE(result.complete) << result.limit << result.diverged;
    return ends;
}

// A change that arrives before the lock reads it grants, else it refuses: both are among the ends.
TEST(Replicas, EndAsInAFullSearch) {
    SKIP_WITHOUT_REDIS();
    const std::set<std::string> ends = ends_with_replica("reads_back", true, {});
    EXPECT_EQ(ends_with_replica("reads_back", false, {}), ends);
    EXPECT_LT(2U, ends.size());
    if (!testing_model::is_short_run()) {
        WireScope crash;
        crash.server_crashes_max = 1;
        EXPECT_EQ(ends_with_replica("primary", false, crash),
                  ends_with_replica("primary", true, crash));
    }
}

TEST(Replicas, AreWhatThePrimaryFailsOverTo) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.failovers_max = 1;
    const Seen seen = seen_with("primary", 1, two_callers({Verb::kAcquire}), scope);
    EXPECT_EQ("belief-overlap", seen.outcome);
    EXPECT_TRUE(mentions(seen, "the primary fails over to the replica")) << seen.steps;
}

struct OneRun {
    OneRun(const std::string& kind, std::size_t replicas, const WireScope& scope = {})
        : world(two_callers({Verb::kAcquire})),
          wire(settings(kind, replicas, world)),
          run(wire, world, scope) {
        run.begin();
    }
    static WireSettings settings(const std::string& kind, std::size_t replicas,
                                 const OutsideWorld& world) {
        WireSettings made;
        made.command = raw_client(kind, "", "replica_lock.py");
        made.callers = clients_of(world.world);
        made.servers = 1 + replicas;
        made.replicas = replicas;
        return made;
    }
    std::string take(std::uint8_t actor, ActionKind kind, std::uint16_t argument) {
        const std::vector<Action> enabled = run.enabled();
        EXPECT_NE(enabled.end(),
                  std::find(enabled.begin(), enabled.end(), Action{actor, kind, argument}));
        return run.take({actor, kind, argument}).result;
    }
    // The result of the first caller's first request.
    std::string first_result() {
        static_cast<void>(take(0, ActionKind::kStep, 0));
        return take(0, ActionKind::kStep, 1);
    }
    OutsideWorld world;
    Wire wire;
    WireRun run;
};

std::string first_result(const std::string& kind) { return OneRun(kind, 1).first_result(); }

TEST(Replicas, ThatHaveCrashedAreNotPromoted) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.failovers_max = scope.server_crashes_max = 1;
    OneRun one("primary", 2, scope);
    static_cast<void>(one.first_result());
    static_cast<void>(one.take(1, ActionKind::kBackground, kReceives));
    static_cast<void>(one.take(1, ActionKind::kDisturb, kServerCrash));
    static_cast<void>(one.take(0, ActionKind::kDisturb, kFailOver));
    EXPECT_TRUE(keys_of_server(one.wire.keys(), 0).empty());
    EXPECT_FALSE(keys_of_server(one.wire.keys(), 1).empty());
}

TEST(Replicas, AnswerWhoWaitsThereWhenAChangeArrives) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld alone = two_callers({Verb::kAcquire});
    alone.world.callers.pop_back();
    // It is no lock, but it waits.
    std::erase_if(alone.check, [](const Property* property) {
        return !property->is(PropertyNumber::kDeadlock);
    });
    EXPECT_EQ("nothing", seen_with("reads_stream", 1, alone).outcome);
}

TEST(Replicas, RefuseToBeWritten) {
    SKIP_WITHOUT_REDIS();
    EXPECT_NE(std::string::npos, first_result("writes").find("READONLY"));
    EXPECT_NE(std::string::npos, first_result("primary").find("acquired"));
}

TEST(Replicas, NobodyIsToldHowManyHaveReceivedAWrite) {
    SKIP_WITHOUT_REDIS();
    EXPECT_THROW(seen_with("waits", 1, two_callers({Verb::kAcquire})), Misbehaved);
}

TEST(Replicas, AreSentNoMessages) {
    SKIP_WITHOUT_REDIS();
    EXPECT_THROW(seen_with("listens", 1, two_callers({Verb::kAcquire})), Misbehaved);
}

std::string refusal(const std::string& server, ServerKind kind) {
    const std::string text = R"({"version": 1, "system": "wire", "server": )" + server +
                             R"(, "callers": [{"script": [{"acquire": {"key": "db"}}]}]})";
    WirePlan plan;
    plan.server = kind;
    try {
        static_cast<void>(for_wire(
            std::get<Scenario>(value_or_throw(parse_replayable(text, "x.json"))), plan, {}, false));
    } catch (const BadInput& error) {
        return error.what();
    }
    return "";
}

TEST(Replicas, AreOfOneServerOfRedis) {
    EXPECT_EQ("", refusal(R"({"replicas": 2})", ServerKind::kRedis));
    EXPECT_NE("", refusal(R"({"replicas": 2, "count": 3})", ServerKind::kRedis));
    EXPECT_NE("", refusal(R"({"replicas": 1})", ServerKind::kPostgresql));
    EXPECT_NE("", refusal(R"({"replicas": 5})", ServerKind::kRedis));
}

}  // namespace
}  // namespace lockkeeper::wire
