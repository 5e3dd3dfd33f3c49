// SPDX-License-Identifier: Apache-2.0
#include "measure/extremes.hpp"

#include <gtest/gtest.h>

#include "measure/chains_test.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper::testing_measure {
namespace {

MeasureResult bounds_of(const ErasedSystem& system, MeasureOptions options) {
    options.bounds = true;
    return measure_exactly(system, options);
}

// On paper. Node 0: two steps, to 1 or 2, and a crash that ends the run: the scheduler has 2/3 of
// the chance. Node 1: a step to the end, or a crash that violates: 1/2. Node 2: a step back to 0,
// or a fault that violates: 1/2 + x/2. So x = 2/3 max(1/2, 1/2 + x/2) = 1/2 for the greatest, 2/3
// min(1/2, 1/2 + x/2) = 1/3 for the least, and with the law x = (1/2 + 1/2 + x/2) / 3 = 2/5.
DrawnSystem small_decision() {
    DrawnSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {
        {ActionClass::kStep, 1}, {ActionClass::kStep, 2}, {ActionClass::kCrash, 3}};
    system.nodes[1].edges = {{ActionClass::kStep, 3}, {ActionClass::kCrash, 3, kRefused, 0}};
    system.nodes[2].edges = {{ActionClass::kStep, 0}, {ActionClass::kFault, 3, kRefused, 0}};
    return system;
}

TEST(Extremes, AreThoseOnPaperAndTheLawLiesBetween) {
    const MeasureResult result =
        bounds_of(ErasedSystem(small_decision()), options_for({"full", "released"}));
    const PropertyRates& rates = result.properties[0];
    ASSERT_TRUE(rates.extremes);
    EXPECT_NEAR(rates.extremes->least, 1.0 / 3, 1e-9);
    EXPECT_NEAR(rates.extremes->most, 1.0 / 2, 1e-9);
    EXPECT_FIGURE(0.4, rates.per_run);
    EXPECT_EQ(result.properties[1].extremes->most, 0);
}

TEST(Extremes, SchedulesAreWhatTheExtremeSchedulersMayBringAbout) {
    const MeasureResult result = bounds_of(ErasedSystem(small_decision()), options_for({"full"}));
    const ExtremeRates& extremes = *result.properties[0].extremes;
    // The greatest goes to 2 and waits for the fault; the least is luckiest when the crash ends it.
    const std::vector<Action> most{{0, ActionKind::kStep, 1}, {0, ActionKind::kFault, 1}};
    const std::vector<Action> least{{0, ActionKind::kCrash, 2}};
    EXPECT_EQ(extremes.schedule_most.value().actions, most);
    EXPECT_EQ(extremes.schedule_least.value().actions, least);
}

// Going round and round is no progress: both extremes of the gamble in node 1 are its own.
TEST(Extremes, ACycleOfIdleChoicesIsNoProgress) {
    DrawnSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{ActionClass::kStep, 1}, {ActionClass::kStep, 2}};
    system.nodes[1].edges = {{ActionClass::kStep, 0}};
    system.nodes[2].edges = {{ActionClass::kStep, 3, 0, 0}, {ActionClass::kCrash, 3, kRefused, 0}};
    const Law law = weights({{ActionClass::kCrash, 0.25}});
    const MeasureResult result = bounds_of(ErasedSystem(system), options_for({"full"}, law));
    EXPECT_EQ(result.properties[0].extremes->least, 0) << "round and round for ever";
    EXPECT_NEAR(result.properties[0].extremes->most, 0.2, 1e-9);
    EXPECT_FIGURE(0.2, result.properties[0].per_run);
}

// The scheduler lets B arrive at once, or not before A has released; without crashes it decides.
TEST(Extremes, WithoutNatureTheSchedulerDecides) {
    using testing_model::acquire;
    using testing_model::release;
    using testing_model::TestAndSet;
    const WorldConfig world =
        testing_model::world_of({{acquire(), release()}, {acquire(), release()}});
    const ErasedSystem system{World<TestAndSet>(TestAndSet{}, world)};
    const MeasureResult result = bounds_of(system, options_for({"full"}));
    const ExtremeRates& extremes = *result.properties[0].extremes;
    EXPECT_EQ(extremes.least, 0);
    EXPECT_EQ(extremes.most, 1);
    EXPECT_EQ(extremes.schedule_most->actions.size(), 2U);
    EXPECT_EQ(extremes.schedule_least->actions.size(), 8U);
    ErasedSystem::State state = system.initial();
    ActionList actions;
    for (const Action action : extremes.schedule_least->actions) {
        system.enabled(state, actions);
        ASSERT_TRUE(actions.contains(action));
        EXPECT_FALSE(system.apply(state, action).is(kRefused));
    }
    EXPECT_TRUE(system.finished(state));
}

// Time is nature's where the law gives it a weight, else the scheduler's.
TEST(Extremes, TimeBelongsToWhomTheLawSays) {
    DrawnSystem system;
    system.nodes.resize(2);
    system.nodes[0].edges = {{ActionClass::kStep, 1}, {ActionClass::kTime, 1, kRefused, 0}};
    const MeasureResult uniform = bounds_of(ErasedSystem(system), options_for({"full"}));
    EXPECT_EQ(uniform.properties[0].extremes->most, 1);
    const MeasureResult given =
        bounds_of(ErasedSystem(system), options_for({"full"}, weights({{ActionClass::kTime, 3}})));
    EXPECT_NEAR(given.properties[0].extremes->least, 0.75, 1e-12);
    EXPECT_NEAR(given.properties[0].extremes->most, 0.75, 1e-12);
}

}  // namespace
}  // namespace lockkeeper::testing_measure
