// SPDX-License-Identifier: Apache-2.0
#include "measure/sampled.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "impl/canal/canal_lock.hpp"
#include "measure/chains_test.hpp"
#include "measure/exact.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"
#include "scheduler/runs/system_walker.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper::testing_measure {
namespace {

using testing_model::acquire;
using testing_model::insist;
using testing_model::release;
using testing_model::world_of;

using TinyCanal = canal::CanalLock<canal::TinySize>;

World<TinyCanal> canal_system(std::size_t callers, std::uint8_t crashes_max,
                              bool for_ever = false) {
    canal::CanalOptions options;
    options.max_decr_tries = 1;
    std::vector<std::vector<Operation>> scripts(
        callers, {for_ever ? insist(1, 2) : acquire(1, 2), release(1, 2)});
    WorldConfig world = world_of(scripts);
    world.crashes_max = crashes_max;
    for (CallerConfig& caller : world.callers) {
        caller.repeats_forever = for_ever;
    }
    return World<TinyCanal>(TinyCanal(options), world);
}

#define EXPECT_INSIDE(truth, figure)             \
    EXPECT_LE((figure).low, (truth)) << #figure; \
    EXPECT_GE((figure).high, (truth)) << #figure

void expect_agreement(const Figure& exact, const Figure& sampled, const char* what) {
    EXPECT_LE(sampled.low, exact.high) << what;
    EXPECT_GE(sampled.high, exact.low) << what;
}
void expect_agreement(const std::optional<Figure>& exact, const std::optional<Figure>& sampled,
                      const char* what) {
    if (exact && sampled) {
        expect_agreement(*exact, *sampled, what);
    }
}
// One interval in a million misses: a test that compares a hundred figures fails by chance never.
MeasureOptions sure(MeasureOptions options, std::uint64_t runs) {
    options.confidence = 0.999999;
    options.runs_max = runs;
    return options;
}

template <System S>
void expect_agreement(const S& system, const MeasureOptions& options) {
    const MeasureResult exact = measure_exactly(ErasedSystem(system), options);
    const MeasureResult sampled = measure_by_sampling(walkers_of(system), options);
    ASSERT_TRUE(exact.complete);
    ASSERT_TRUE(sampled.complete) << sampled.limit;
    EXPECT_EQ(sampled.method, MeasureMethod::kSampled);
    EXPECT_EQ(sampled.runs, options.runs_max);
    EXPECT_EQ(sampled.cut_runs, 0U);
    expect_agreement(exact.acquires_per_run, sampled.acquires_per_run, "acquires");
    expect_agreement(exact.capacity_lost, sampled.capacity_lost, "capacity");
    expect_agreement(exact.seconds_per_run, sampled.seconds_per_run, "seconds");
    expect_agreement(exact.seconds_to_seizure, sampled.seconds_to_seizure, "seizure");
    for (std::size_t i = 0; i < options.check.size(); ++i) {
        SCOPED_TRACE(options.check[i]->name);
        const PropertyRates& left = exact.properties[i];
        const PropertyRates& right = sampled.properties[i];
        expect_agreement(left.per_run, right.per_run, "per run");
        expect_agreement(left.count_per_run, right.count_per_run, "count");
        expect_agreement(left.per_acquire, right.per_acquire, "per acquire");
        expect_agreement(left.to_first, right.to_first, "to the first");
        expect_agreement(left.violating_seconds, right.violating_seconds, "violating");
        if (left.per_run.value > 0.001) {
            EXPECT_GT(right.hits, 0U);
        }
    }
}

// exact_test.cpp has the derivations.
TEST(Sampled, TwoCallersAreAsOnPaper) {
    const MeasureResult full =
        measure_by_sampling(walkers_of(two_callers(0)), sure(options_for({"full"}), 20'000));
    EXPECT_INSIDE(7.0 / 8, full.properties[0].per_run);
    EXPECT_INSIDE(7.0 / 8, full.properties[0].count_per_run);
    EXPECT_INSIDE(9.0 / 8, full.acquires_per_run);
    EXPECT_INSIDE(7.0 / 9, full.properties[0].per_acquire);
    EXPECT_LT(full.properties[0].per_run.high - full.properties[0].per_run.low, 0.03);
    const MeasureResult leak =
        measure_by_sampling(walkers_of(two_callers(1)), sure(options_for({"leak"}), 20'000));
    EXPECT_INSIDE(623.0 / 2048, leak.properties[0].per_run);
    EXPECT_INSIDE(623.0 / 2048, leak.capacity_lost);
}

// From i of n, up with p: (1 - (q/p)^i) / (1 - (q/p)^n).
TEST(Sampled, TheGamblersRuinIsAsInTheBook) {
    for (const auto& [up, goal, start] : {std::tuple{1.0, 9U, 3U}, {0.8, 6U, 4U}, {1.5, 8U, 1U}}) {
        const Law law =
            weights({{ActionClass::kArrival, up}, {ActionClass::kDeparture, 1}}, LawKind::kWeights);
        const double truth = up == 1 ? static_cast<double>(start) / goal
                                     : (1 - std::pow(1 / up, start)) / (1 - std::pow(1 / up, goal));
        const MeasureResult result = measure_by_sampling(walkers_of(gamblers_ruin(goal, start)),
                                                         sure(options_for({"full"}, law), 20'000));
        EXPECT_INSIDE(truth, result.properties[0].per_run);
        EXPECT_EQ(
            result.properties[0].hits,
            static_cast<std::uint64_t>(std::lround(result.properties[0].per_run.value * 20'000)));
    }
}

TEST(Sampled, AgreesWithTheExactFiguresUnderEveryLaw) {
    const std::initializer_list<std::string_view> all = {
        "over-allocation", "leak", "double-release", "caller-death", "deadlock", "full"};
    const Law weighted = weights(
        {{ActionClass::kBackground, 3}, {ActionClass::kCrash, 0.2}, {ActionClass::kArrival, 0.5}});
    const Law rates = weights({{ActionClass::kArrival, 2},
                               {ActionClass::kDeparture, 5},
                               {ActionClass::kStep, 7},
                               {ActionClass::kBackground, 4},
                               {ActionClass::kCrash, 0.3}},
                              LawKind::kRates);
    for (const Law& law : {Law{}, weighted, rates}) {
        SCOPED_TRACE(static_cast<int>(law.kind));
        expect_agreement(canal_system(2, 1), sure(options_for(all, law), 10'000));
        expect_agreement(two_callers(1), sure(options_for(all, law), 20'000));
    }
}

// Arrivals with rate 0.6 up to 4 inside, departures with rate 2: the share of time with n inside is
// proportional to 0.3^n, and more than one is too many.
TEST(Sampled, TheLongRunIsThatOfTheQueueInTheBook) {
    DrawnSystem queue;
    queue.nodes.resize(5);
    for (std::uint32_t n = 0; n < 5; ++n) {
        queue.nodes[n].believed = n;
        if (n < 4) {
            queue.nodes[n].edges.push_back({ActionClass::kArrival, n + 1, kGranted, n});
        }
        if (n > 0) {
            queue.nodes[n].edges.push_back({ActionClass::kDeparture, n - 1, kReleased, 0});
        }
    }
    const Law law =
        weights({{ActionClass::kArrival, 0.6}, {ActionClass::kDeparture, 2}}, LawKind::kRates);
    MeasureOptions options = sure(options_for({"over-allocation"}, law), 500);
    options.steps_max = 1000;
    const MeasureResult result = measure_by_sampling(walkers_of(queue), options);
    EXPECT_EQ(result.cut_runs, 500U);
    const PropertyRates& rates = result.properties[0];
    ASSERT_TRUE(rates.fraction_of_time && rates.to_first);
    const double sum = 1 + 0.3 + 0.09 + 0.027 + 0.0081;
    EXPECT_INSIDE((0.09 + 0.027 + 0.0081) / sum, *rates.fraction_of_time);
    EXPECT_INSIDE((0.3 + 0.09 + 0.027) / (1 + 0.3 + 0.09 + 0.027), rates.per_acquire);
    // The same value as in exact_test.cpp.
    EXPECT_INSIDE(1 / 0.6 + (1 + 2 / 0.6) * (1 / 2.6) + (2 / 0.6) * (1 / 0.6), *rates.to_first);
    // 6.1 wide: Student's t, and what 500 runs do not exclude about larger values.
    EXPECT_LT(rates.to_first->high - rates.to_first->low, 6.5);
}

std::string figures(const MeasureResult& result) {
    std::string text = result.limit + std::to_string(result.runs) + " " +
                       std::to_string(result.steps) + " " + std::to_string(result.cut_runs);
    const auto add = [&](const Figure& figure) {
        for (const double value : {figure.value, figure.low, figure.high}) {
            char digits[40];
            std::snprintf(digits, sizeof(digits), " %a", value);
            text += digits;
        }
    };
    add(result.acquires_per_run);
    add(result.capacity_lost);
    for (const PropertyRates& rates : result.properties) {
        add(rates.per_run);
        add(rates.count_per_run);
        add(rates.per_acquire);
    }
    return text;
}

TEST(SampledThreads, AnyNumberOfJobsGivesTheSameFigures) {
    MeasureOptions options = options_for({"full", "leak"});
    options.runs_max = 5'000;
    std::vector<MeasureOptions> all(3, options);
    all[1].relative_width = 0.5;
    all[1].runs_max = 1'000'000;
    all[2].below = 0.5;
    for (MeasureOptions& each : all) {
        const auto system = two_callers(1);
        each.jobs = 1;
        const std::string alone = figures(measure_by_sampling(walkers_of(system), each));
        for (const unsigned jobs : {2U, 4U}) {
            each.jobs = jobs;
            EXPECT_EQ(alone, figures(measure_by_sampling(walkers_of(system), each)));
        }
        each.seed = 2;
        EXPECT_NE(alone, figures(measure_by_sampling(walkers_of(system), each)));
    }
}

TEST(Sampled, WithoutHitsTheIntervalSaysHowRareItMayStillBe) {
    MeasureOptions options = options_for({"full"}, weights({{ActionClass::kArrival, 1e-9}}));
    options.runs_max = 1000;
    const MeasureResult result = measure_by_sampling(walkers_of(gamblers_ruin(3, 1)), options);
    const PropertyRates& rates = result.properties[0];
    EXPECT_EQ(rates.hits, 0U);
    EXPECT_EQ(rates.per_run.low, 0);
    EXPECT_NEAR(rates.per_run.high, 1 - std::pow(0.005, 1e-3), 1e-12);
    EXPECT_GE(rates.count_per_run.high, rates.per_run.high);
    EXPECT_GT(result.capacity_lost.high, 0);
}

TEST(Sampled, RunsThatAreCutAreCounted) {
    MeasureOptions options = options_for({"leak"});
    options.runs_max = 100;
    options.steps_max = 500;
    const MeasureResult result = measure_by_sampling(walkers_of(canal_system(2, 0, true)), options);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.runs, 100U);
    EXPECT_EQ(result.cut_runs, 100U);
    EXPECT_EQ(result.steps, 50'000U);
}

TEST(Sampled, StopsWhenTheIntervalIsNarrow) {
    MeasureOptions options = options_for({"full"});
    options.relative_width = 0.05;
    const MeasureResult result = measure_by_sampling(walkers_of(two_callers(0)), options);
    EXPECT_TRUE(result.complete);
    EXPECT_LT(result.runs, 20'000U);
    const Figure& figure = result.properties[0].per_run;
    EXPECT_LE((figure.high - figure.low) / figure.value, 0.05);
    options.runs_max = 200;
    const MeasureResult cut = measure_by_sampling(walkers_of(two_callers(0)), options);
    EXPECT_FALSE(cut.complete);
    EXPECT_EQ(cut.limit, "runs");
}

TEST(Sampled, AnswersWhetherARateIsBelow) {
    for (const auto& [bound, answer] : {std::pair{0.9, true}, {0.8, false}}) {
        MeasureOptions options = options_for({"full"});
        options.below = bound;
        const MeasureResult result = measure_by_sampling(walkers_of(two_callers(0)), options);
        ASSERT_TRUE(result.is_below);
        EXPECT_EQ(*result.is_below, answer);
        EXPECT_TRUE(result.complete);
        EXPECT_LT(result.runs, 100'000U);
    }
}

TEST(Sampled, AnInterruptLeavesWhatIsDone) {
    MeasureOptions options = options_for({"full"});
    options.runs_max = 1'000'000'000;
    options.progress = [](std::uint64_t, double) { request_interrupt(); };
    const MeasureResult result = measure_by_sampling(walkers_of(two_callers(0)), options);
    clear_interrupt();
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.limit, "interrupted");
    EXPECT_GT(result.runs, 0U);
    EXPECT_INSIDE(7.0 / 8, result.properties[0].per_run);
    options.progress = {};
    options.seconds_max = 0;
    EXPECT_EQ(measure_by_sampling(walkers_of(two_callers(0)), options).limit, "time");
}

TEST(Sampled, WhatRunsCannotShowIsNotGuessed) {
    MeasureOptions options = options_for({"livelock"});
    options.runs_max = 1000;
    options.below = 0.5;
    const MeasureResult result = measure_by_sampling(walkers_of(two_callers(0)), options);
    EXPECT_EQ(result.properties[0].per_run.high, 1);
    EXPECT_FALSE(result.is_below);
}

TEST(Sampled, OverlapsLastAsLongAsOnPaper) {
    MeasureOptions options = options_for({"belief-overlap"});
    options.runs_max = 20'000;
    const MeasureResult result = measure_by_sampling(walkers_of(overlapping()), options);
    const PropertyRates& rates = result.properties[0];
    ASSERT_TRUE(rates.overlap_lasts && rates.overlap_lasts_if_any);
    EXPECT_LE(rates.overlap_lasts->low, 13.0 / 8);
    EXPECT_GE(rates.overlap_lasts->high, 13.0 / 8);
    EXPECT_LE(rates.overlap_lasts_if_any->low, 13.0 / 4);
    EXPECT_GE(rates.overlap_lasts_if_any->high, 13.0 / 4);
    EXPECT_LT(rates.overlap_lasts_if_any->high - rates.overlap_lasts_if_any->low, 0.5);
}

// Two states for ever, and one step in ten thousand that is refused: no run of ten steps says that
// it will not come.
TEST(Sampled, ARunThatWasCutMayMeetItLater) {
    DrawnSystem system;
    system.nodes.resize(2);
    system.nodes[0].edges = {{ActionClass::kStep, 1}, {ActionClass::kCrash, 1, kRefused}};
    system.nodes[1].edges = {{ActionClass::kStep, 0}};
    const Law law = weights({{ActionClass::kStep, 1}, {ActionClass::kCrash, 1e-4}});
    MeasureOptions options = options_for({"full"}, law);
    options.steps_max = 10;
    options.runs_max = 20'000;
    options.below = 0.5;
    const MeasureResult result = measure_by_sampling(walkers_of(system), options);
    EXPECT_EQ(result.cut_runs, result.runs);
    EXPECT_FALSE(result.is_below);
    EXPECT_LT(result.properties[0].per_run.value, 0.01);
    EXPECT_EQ(result.properties[0].per_run.high, 1);
}

// Half of the runs meet it and go on for ever, the others end without it.
TEST(Sampled, WhatSomeRunEndsWithoutIsNotSureToCome) {
    DrawnSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{ActionClass::kStep, 1, kRefused}, {ActionClass::kBackground, 3}};
    system.nodes[1].edges = {{ActionClass::kStep, 2}};
    system.nodes[2].edges = {{ActionClass::kStep, 1}};
    MeasureOptions options = options_for(
        {"full"},
        weights({{ActionClass::kStep, 1}, {ActionClass::kBackground, 1}}, LawKind::kRates));
    options.steps_max = 10;
    options.runs_max = 2'000;
    const MeasureResult result = measure_by_sampling(walkers_of(system), options);
    EXPECT_EQ(result.properties[0].to_first->value, kInfinity);
    EXPECT_FALSE(result.properties[0].fraction_of_time) << "a step takes no time";
}

}  // namespace
}  // namespace lockkeeper::testing_measure
