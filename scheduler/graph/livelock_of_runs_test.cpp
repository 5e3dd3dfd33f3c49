// SPDX-License-Identifier: Apache-2.0

// Livelock as `fuzz` judges it: on the states that its runs have met.
#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::ElementsAre;

const Property* const kLivelock = find_property("livelock");

FuzzResult fuzzed(const Runner& system, const std::string& strategy, std::uint64_t steps_max = 50) {
    FuzzOptions options;
    options.check = {kLivelock};
    options.strategy = strategy;
    options.schedules_max = 300;
    options.steps_max = steps_max;
    return system.fuzz(options);
}

constexpr const char* kStrategies[] = {"feedback", "portfolio", "random", "pct:2", "round-robin"};

CanalScope release_against_retry(std::optional<std::uint8_t> tries) {
    CanalScope scope = warm(once_each({1}, 1, tries), 1);
    scope.world = world_of({{acquire(1, 1), release(1, 1)}, {insist(1, 1)}});
    scope.options.has_manager = false;
    return scope;
}

TEST(LivelockOfRuns, ACycleIsFoundAndReplays) {
    const auto system = runner(release_against_retry(std::nullopt));
    for (const char* strategy : {"feedback", "portfolio", "random"}) {
        const FuzzResult result = fuzzed(*system, strategy);
        ASSERT_EQ(result.violations.size(), 1U) << strategy;
        EXPECT_EQ(result.limit, "first violation");
        EXPECT_THAT(result.found_by, ElementsAre(strategy));
        EXPECT_LT(result.schedules, 100U);
        const FoundViolation& found = result.violations.front();
        ReplayOptions options;
        options.check = {kLivelock};
        options.cycle_start = found.cycle_start;
        const Trace trace = system->replay(found.schedule, options);
        EXPECT_TRUE(trace.divergences.empty());
        EXPECT_TRUE(trace.cycle_closes);
        EXPECT_THAT(trace.violated, ElementsAre(kLivelock));
        const auto& violated = std::get<Violated>(result.verdict);
        EXPECT_EQ(violated.property, "livelock");
        EXPECT_EQ(violated.cycle_start, found.cycle_start);
    }
}

TEST(LivelockOfRuns, WhereTwoTriesEndItNothingIsFoundAndNothingIsClaimed) {
    const auto system = runner(release_against_retry(2));
    for (const char* strategy : kStrategies) {
        const FuzzResult result = fuzzed(*system, strategy);
        EXPECT_TRUE(result.violations.empty());
        EXPECT_EQ(std::get<Inconclusive>(result.verdict).limit,
                  "no livelock among the states of these runs");
    }
}

// A could return at any time: a run that goes round 50 times has kept it from its step, and no run
// has to have been where that step leads.
TEST(LivelockOfRuns, ACycleOfARunThatKeepsSomebodyFromAStepIsNone) {
    GraphSystem system;
    system.nodes.resize(3);
    system.nodes[0].edges = {{step_of(1), 1, kInvoked}};
    system.nodes[1].calling = 1U;
    system.nodes[1].edges = {{step_of(1), 1, 0}, {step_of(0), 2, kAcquired}};
    system.nodes[2].finished = true;
    for (const char* strategy : kStrategies) {
        EXPECT_TRUE(fuzzed(*runner(system), strategy, 2).violations.empty()) << strategy;
        EXPECT_TRUE(fuzzed(*runner(system), strategy).violations.empty()) << strategy;
    }
    // Without that step the same cycle is one.
    system.nodes[1].edges.pop_back();
    for (const char* strategy : kStrategies) {
        EXPECT_EQ(fuzzed(*runner(system), strategy).violations.size(), 1U) << strategy;
    }
}

TEST(LivelockOfRuns, OtherPropertiesAreStillDecidedWhereNoneIsFound) {
    FuzzOptions options;
    options.check = {kLivelock, find_property("over-allocation")};
    options.schedules_max = 200;
    const FuzzResult result = runner(warm(once_each({1, 1}, 2, 2), 1))->fuzz(options);
    EXPECT_TRUE(std::holds_alternative<Passed>(result.verdict));
    EXPECT_EQ(result.schedules, 200U);
}

}  // namespace
}  // namespace lockkeeper
