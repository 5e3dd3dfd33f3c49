// SPDX-License-Identifier: Apache-2.0
#include "measure/exact.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "measure/chains_test.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper::testing_measure {
namespace {

using testing_model::acquire;
using testing_model::release;
using testing_model::TestAndSet;
using testing_model::world_of;

// On paper: a caller takes the word (1), returns with it (2), looks (3) and clears (4); who finds
// it taken is refused and finished. Let A be the first. B is refused unless A takes its steps 2, 3
// and 4 before B takes one: each time with probability 1/2. So "full" has 1 - 1/8, and 1 + 1/8
// acquires are granted.
TEST(TwoCallers, ARefusalIsAsProbableAsOnPaper) {
    const MeasureResult result =
        measure_exactly(ErasedSystem(two_callers(0)), options_for({"full", "leak"}));
    ASSERT_TRUE(result.complete);
    EXPECT_FIGURE(7.0 / 8, result.properties[0].per_run);
    EXPECT_FIGURE(7.0 / 8, result.properties[0].count_per_run);
    EXPECT_FIGURE(9.0 / 8, result.acquires_per_run);
    EXPECT_FIGURE(7.0 / 9, result.properties[0].per_acquire);
    EXPECT_EQ(result.properties[1].per_run.high, 0);
    EXPECT_EQ(result.capacity_lost.high, 0);
}

// On paper: one crash is possible, and it leaks when it hits the owner of the word, who is at step
// 2, 3 or 4; with it the crashes are used up. In each state every live unfinished caller can step
// and crash, each with equal chance. Let g(k) be the probability that the owner, k steps before its
// end, crashes when the other is finished: g(1) = 1/2, g(2) = 3/4, g(3) = 7/8. Let r be that of one
// caller alone who has not begun: r = 1/2 g(3) = 7/16. Let h(k) be the same as g(k) while the other
// has not begun; he steps (refused), crashes (no leak any more), or the owner does one of the two:
// h(1) = (r + 1 + g(1) + 0) / 4 = 31/64,     h(2) = (h(1) + 1 + g(2)) / 4 = 143/256,
// h(3) = (h(2) + 1 + g(3)) / 4 = 623/1024. In the beginning half of the chance is a crash without a
// leak: 1/2 h(3) = 623/2048.
TEST(TwoCallers, ALeakByACrashIsAsProbableAsOnPaper) {
    const MeasureResult result =
        measure_exactly(ErasedSystem(two_callers(1)), options_for({"leak"}));
    EXPECT_FIGURE(623.0 / 2048, result.properties[0].per_run);
    EXPECT_FIGURE(623.0 / 2048, result.capacity_lost);
}

// On paper: arrivals have the rate a, departures d, other steps s. After 1/(2a) seconds A owns the
// word and ends after s, d, s; with probability P = (s/(s+a))^2 d/(d+a) before B arrives, who then
// takes 1/a to arrive and as long again as A to end.
TEST(TwoCallers, ARunLastsAsLongAsOnPaper) {
    const double a = 3;
    const double d = 5;
    const double s = 7;
    const Law law =
        weights({{ActionClass::kArrival, a}, {ActionClass::kDeparture, d}, {ActionClass::kStep, s}},
                LawKind::kRates);
    const MeasureResult result =
        measure_exactly(ErasedSystem(two_callers(0)), options_for({"full"}, law));
    const double before = std::pow(s / (s + a), 2) * d / (d + a);
    const double held = 2 / s + 1 / d;
    EXPECT_FIGURE(1 - before, result.properties[0].per_run);
    EXPECT_FIGURE(1 / (2 * a) + held + before * (1 / a + held), *result.seconds_per_run);
    EXPECT_EQ(result.properties[0].to_first->value, kInfinity) << "it is not sure";
    EXPECT_EQ(result.properties[0].to_first->low, kInfinity);
}

TEST(TwoCallers, SymmetryChangesNoFigureButTheNumberOfStates) {
    WorldConfig world = world_of({{acquire(), release()}, {acquire(), release()}});
    world.crashes_max = 1;
    world.callers[1].group = world.callers[0].group;
    const ErasedSystem system{World<TestAndSet>(TestAndSet{}, world)};
    MeasureOptions options = options_for({"leak"});
    const MeasureResult merged = measure_exactly(system, options);
    options.symmetry = false;
    const MeasureResult full = measure_exactly(system, options);
    EXPECT_LT(merged.states, full.states);
    EXPECT_FIGURE(623.0 / 2048, merged.properties[0].per_run);
    EXPECT_FIGURE(623.0 / 2048, full.properties[0].per_run);
}

// Feller, An Introduction to Probability Theory, volume 1, chapter XIV.
TEST(GamblersRuin, ProbabilityAndDurationAreTheClosedForms) {
    for (const double p : {0.5, 0.45, 0.6}) {
        const double q = 1 - p;
        const Law law =
            weights({{ActionClass::kArrival, p}, {ActionClass::kDeparture, q}}, LawKind::kRates);
        const MeasureResult result =
            measure_exactly(ErasedSystem(gamblers_ruin(40, 10)), options_for({"full"}, law));
        const double r = q / p;
        const bool fair = p == 0.5;
        const double wins = fair ? 10.0 / 40 : (1 - std::pow(r, 10)) / (1 - std::pow(r, 40));
        const double steps = fair ? 10.0 * 30 : 10 / (q - p) - 40 / (q - p) * wins;
        EXPECT_FIGURE(wins, result.properties[0].per_run);
        EXPECT_FIGURE(steps, *result.seconds_per_run);
    }
}

// A win of probability 1e-12, without any loss of digits.
TEST(GamblersRuin, ARareWinKeepsItsDigits) {
    const Law law = weights({{ActionClass::kArrival, 1}, {ActionClass::kDeparture, 4}});
    const MeasureResult result =
        measure_exactly(ErasedSystem(gamblers_ruin(20, 1)), options_for({"full"}, law));
    EXPECT_FIGURE(3 / (std::pow(4.0, 20) - 1), result.properties[0].per_run);
}

// Arrivals with rate l up to K, departures with rate m; more than one of the one place is over.
DrawnSystem queue(std::uint32_t most) {
    DrawnSystem system;
    system.nodes.resize(most + 1U);
    for (std::uint32_t n = 0; n <= most; ++n) {
        DrawnNode& node = system.nodes[n];
        node.finished = false;
        node.believed = n;
        if (n < most) {
            node.edges.push_back({ActionClass::kArrival, n + 1, kGranted | kInvoked, n});
        }
        if (n > 0) {
            node.edges.push_back({ActionClass::kDeparture, n - 1, kReleased, 0});
        }
    }
    return system;
}

// M/M/1/K: the share of time with n inside is proportional to (l/m)^n.
TEST(Queue, LongRunSharesAreThoseOfTheBirthAndDeathProcess) {
    const double ratio = 0.3;
    const Law law =
        weights({{ActionClass::kArrival, 0.6}, {ActionClass::kDeparture, 2}}, LawKind::kRates);
    const MeasureResult result =
        measure_exactly(ErasedSystem(queue(8)), options_for({"over-allocation"}, law));
    const PropertyRates& rates = result.properties[0];
    const auto sum = [&](int from, int to) {
        double total = 0;
        for (int n = from; n <= to; ++n) {
            total += std::pow(ratio, n);
        }
        return total;
    };
    ASSERT_TRUE(rates.fraction_of_time);
    EXPECT_FIGURE(sum(2, 8) / sum(0, 8), *rates.fraction_of_time);
    EXPECT_FIGURE(sum(1, 7) / sum(0, 7), rates.per_acquire);
    EXPECT_EQ(rates.count_per_run.value, kInfinity);
    EXPECT_EQ(result.seconds_per_run->value, kInfinity);
    EXPECT_FIGURE(1.0, rates.per_run);
    // 1/l to the first arrival; the next comes before the departure with l/(l+m), else once more.
    EXPECT_FIGURE(1 / 0.6 + (1 + 2 / 0.6) * (1 / 2.6) + (2 / 0.6) * (1 / 0.6), *rates.to_first);
}

// Two bottoms: one is over for ever, one never is.
TEST(LongRunShare, IsWeightedByTheProbabilityOfGettingThere) {
    DrawnSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{ActionClass::kArrival, 1, kInvoked, 0},
                             {ActionClass::kDeparture, 2, kInvoked, 0}};
    system.nodes[1].edges = {{ActionClass::kStep, 3, 0, 0}};
    system.nodes[1].believed = 2;
    system.nodes[3].edges = {{ActionClass::kBackground, 1, 0, 0}};
    system.nodes[2].edges = {{ActionClass::kStep, 2, 0, 0}};
    const Law law = weights({{ActionClass::kArrival, 1},
                             {ActionClass::kDeparture, 4},
                             {ActionClass::kStep, 2},
                             {ActionClass::kBackground, 6}},
                            LawKind::kRates);
    const MeasureResult result =
        measure_exactly(ErasedSystem(system), options_for({"over-allocation"}, law));
    // In the first, 1/2 s over for each 1/6 s that is not.
    EXPECT_FIGURE(0.2 * 0.75, *result.properties[0].fraction_of_time);
}

TEST(Seizure, TakesAsLongAsUntilTheLastUnitIsLost) {
    DrawnSystem system;
    system.nodes.resize(2);
    system.nodes[0] = {
        {{ActionClass::kStep, 0, kInvoked, 0}, {ActionClass::kCrash, 1, kCrashed, 0}},
        false,
        true,
        0,
        0};
    system.nodes[1] = {{{ActionClass::kStep, 1, kInvoked, 0}}, false, true, 0, 1};
    const Law law =
        weights({{ActionClass::kStep, 100}, {ActionClass::kCrash, 1e-6}}, LawKind::kRates);
    const MeasureResult result = measure_exactly(ErasedSystem(system), options_for({"leak"}, law));
    EXPECT_FIGURE(1e6, *result.seconds_to_seizure);
    EXPECT_FIGURE(1e6, *result.properties[0].to_first);
    EXPECT_FIGURE(1.0, *result.properties[0].fraction_of_time);
}

TEST(RunEnd, ADeadlockIsTheEndAndIsCountedOnce) {
    DrawnSystem system;
    system.nodes.resize(3);
    system.nodes[0].edges = {{ActionClass::kStep, 1}, {ActionClass::kBackground, 2}};
    system.nodes[1] = {{{ActionClass::kCrash, 2}}, false, false, 0, 0};
    const MeasureResult result =
        measure_exactly(ErasedSystem(system), options_for({"deadlock", "leak"}));
    EXPECT_FIGURE(0.5, result.properties[0].per_run);
    EXPECT_FIGURE(0.5, result.properties[0].count_per_run);
}

TEST(RunEnd, WhatHasNoWeightNeverHappens) {
    DrawnSystem system;
    system.nodes.resize(2);
    system.nodes[0].edges = {{ActionClass::kCrash, 1, kRefused, 0}};
    const MeasureResult result = measure_exactly(
        ErasedSystem(system), options_for({"full"}, weights({{ActionClass::kCrash, 0}})));
    EXPECT_EQ(result.states, 1U);
    EXPECT_EQ(result.properties[0].per_run.value, 0);
}

TEST(Limits, ACutGraphHasNoFigures) {
    MeasureOptions options = options_for({"full"});
    options.states_max = 5;
    const MeasureResult result = measure_exactly(ErasedSystem(gamblers_ruin(40, 10)), options);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.limit, "states");
    EXPECT_TRUE(result.properties.empty());
}

TEST(Overlaps, LastAsLongAsOnPaper) {
    const MeasureResult result =
        measure_exactly(ErasedSystem(overlapping()), options_for({"belief-overlap"}));
    const PropertyRates& rates = result.properties[0];
    EXPECT_FIGURE(1.0 / 2, rates.per_run);
    ASSERT_TRUE(rates.overlap_lasts && rates.overlap_lasts_if_any);
    EXPECT_FIGURE(13.0 / 8, *rates.overlap_lasts);
    EXPECT_FIGURE(13.0 / 4, *rates.overlap_lasts_if_any);
}

TEST(Overlaps, HaveNoLengthWhereThereIsNoClock) {
    DrawnSystem system = overlapping();
    for (DrawnNode& node : system.nodes) {
        node.now = 0;
    }
    const MeasureResult result =
        measure_exactly(ErasedSystem(system), options_for({"belief-overlap"}));
    EXPECT_FIGURE(1.0 / 2, result.properties[0].per_run);
    EXPECT_FALSE(result.properties[0].overlap_lasts);
}

TEST(LongRun, IsPerAcquireOfAllRunsTogether) {
    // Half of the runs go on with two grants in three steps, one of which violates; the others
    // without any grant, violating with every other step. Per step: violations 1/2 (1/3 + 1/2),
    // grants 1/2 * 2/3.
    DrawnSystem system;
    system.nodes.resize(6);
    system.nodes[0].edges = {{ActionClass::kStep, 1}, {ActionClass::kBackground, 4}};
    system.nodes[1].edges = {{ActionClass::kStep, 2, kGranted}};
    system.nodes[2].edges = {{ActionClass::kStep, 3, kGranted}};
    system.nodes[3].edges = {{ActionClass::kStep, 1, kRefused}};
    system.nodes[4].edges = {{ActionClass::kStep, 5}};
    system.nodes[5].edges = {{ActionClass::kStep, 4, kRefused}};
    const MeasureResult result = measure_exactly(ErasedSystem(system), options_for({"full"}));
    EXPECT_FIGURE((1.0 / 3 + 1.0 / 2) / (2.0 / 3), result.properties[0].per_acquire);
}

}  // namespace
}  // namespace lockkeeper::testing_measure
