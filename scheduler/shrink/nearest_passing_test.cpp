// SPDX-License-Identifier: Apache-2.0

// The nearest run that passes: beside a violating one a page shows what would have been otherwise.
#include <gmock/gmock.h>

#include "properties/catalogue.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::IsEmpty;

const Property* const kPromise = find_property("leak");

Schedule shortest_leak(const Runner& system) {
    ExploreOptions options;
    options.check = {kPromise};
    return system.explore(options).violations.at(0).schedule;
}

TEST(NearestPassing, BeginsAsTheViolatingRunAndKeepsTheProperty) {
    const auto system = runner(leaking());
    const Schedule violating = shortest_leak(*system);
    const auto passing = system->nearest_passing(violating, *kPromise, {});
    ASSERT_TRUE(passing);
    ASSERT_LT(passing->differs_at, violating.actions.size());
    for (std::size_t i = 0; i < passing->differs_at; ++i) {
        EXPECT_EQ(passing->schedule.actions[i], violating.actions[i]);
    }
    EXPECT_NE(passing->schedule.actions[passing->differs_at],
              violating.actions[passing->differs_at]);
    ReplayOptions options;
    options.check = {kPromise};
    const Trace trace = system->replay(passing->schedule, options);
    EXPECT_THAT(trace.divergences, IsEmpty());
    EXPECT_THAT(trace.violated, IsEmpty());
    EXPECT_TRUE(trace.all_finished);
    EXPECT_TRUE(passing->ends);
}

// No later decision of the run has another way that keeps the property.
TEST(NearestPassing, PartsAtTheLastDecisionThatTheViolationNeeds) {
    const auto system = runner(leaking());
    const Schedule violating = shortest_leak(*system);
    const ShrinkResult shrunk = system->shrink(violating, *kPromise);
    const auto passing = system->nearest_passing(shrunk.schedule, *kPromise, {});
    ASSERT_TRUE(passing);
    EXPECT_EQ(passing->differs_at, shrunk.causes.back());
}

// Two callers of two buckets: whatever is decided later, the unit is lost already.
TEST(NearestPassing, GoesBackOverDecisionsWhoseOtherWayViolatesToo) {
    const auto system = runner(warm(once_each({2, 2}, 1, 15), 2));
    const Schedule violating = shortest_leak(*system);
    const auto passing = system->nearest_passing(violating, *kPromise, {});
    ASSERT_TRUE(passing);
    EXPECT_LT(passing->differs_at + 10, violating.actions.size());
    ReplayOptions options;
    options.check = {kPromise};
    EXPECT_THAT(system->replay(passing->schedule, options).violated, IsEmpty());
}

TEST(NearestPassing, WhereEveryRunViolatesThereIsNone) {
    // One caller, who is granted nothing that he could keep: each run ends in the same way.
    GraphSystem system;
    system.callers_count = 1;
    system.nodes.resize(2);
    system.nodes[0].edges = {{step_of(0), 1}};
    system.nodes[1].finished = true;
    system.nodes[1].quiescent = true;
    system.nodes[1].counted = 1;
    const Schedule only{1, {step_of(0)}};
    EXPECT_FALSE(runner(system)->nearest_passing(only, *kPromise, {}));
}

TEST(NearestPassing, OfAnEndlessRunAPieceIsShown) {
    CanalScope scope = leaking();
    for (CallerConfig& caller : scope.world.callers) {
        caller.repeats_forever = true;
    }
    const auto system = runner(scope);
    const Schedule violating = shortest_leak(*system);
    const auto passing = system->nearest_passing(violating, *kPromise, {});
    ASSERT_TRUE(passing);
    EXPECT_FALSE(passing->ends);
    EXPECT_EQ(passing->schedule.actions.size(), violating.actions.size() + 20);
}

TEST(NearestPassing, WithoutTimeThereIsNone) {
    const auto system = runner(leaking());
    EXPECT_FALSE(system->nearest_passing(shortest_leak(*system), *kPromise, {Deadline(0)}));
}

}  // namespace
}  // namespace lockkeeper
