// SPDX-License-Identifier: Apache-2.0
#include "measure/splitting.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "measure/chains_test.hpp"
#include "measure/sampled.hpp"
#include "measure/shared_splitting.hpp"
#include "model/slow_build_test.hpp"
#include "scheduler/runs/system_walker.hpp"

namespace lockkeeper::testing_measure {
namespace {

// The gambler's ruin whose position can be seen: as many holders. Up with weight `up` to 1.
DrawnSystem seen_ruin(std::uint32_t goal, std::uint32_t start) {
    DrawnSystem system = gamblers_ruin(goal, start);
    for (std::uint32_t position = 0; position <= goal; ++position) {
        const std::uint32_t node = position == start  ? 0
                                   : position < start ? position + 1
                                                      : position;
        system.nodes[node].believed = position;
    }
    return system;
}
Law up(double weight) {
    return weights({{ActionClass::kArrival, weight}, {ActionClass::kDeparture, 1}});
}
double ruin(double weight, double start, double goal) {
    return (std::pow(1 / weight, start) - 1) / (std::pow(1 / weight, goal) - 1);
}

Spread estimates(const MeasureOptions& options, const MakeWalker& make_walker,
                 const SplittingPlan& plan, std::uint64_t count, std::uint64_t runs_of_stage) {
    Splitting splitting(make_walker, options, 0);
    Spread spread;
    for (std::uint64_t i = 0; i < count; ++i) {
        spread.add(splitting.estimate(plan, i, runs_of_stage).per_run);
    }
    return spread;
}

// Five standard errors: by chance once in two million.
void expect_unbiased(const Spread& spread, double truth) {
    const double error = std::sqrt(spread.variance() / static_cast<double>(spread.count));
    EXPECT_NEAR(spread.mean, truth, 5 * error);
    EXPECT_LT(error, truth / 10) << "too rough to say anything";
}

TEST(Splitting, IsUnbiasedWithGoodLevelsAndWithBadOnes) {
    const MeasureOptions options = options_for({"full"}, up(0.5));
    const MakeWalker make_walker = walkers_of(seen_ruin(9, 1));
    const double truth = ruin(0.5, 1, 9);  // 1 / 511
    const auto plan = [](Score score, std::vector<std::int64_t> levels) {
        SplittingPlan made;
        made.score = score;
        made.levels = std::move(levels);
        return made;
    };
    int plans_tried = 0;
    for (const SplittingPlan& each :
         {plan(Score::kHolders, {2, 3, 4, 5, 6, 7, 8}), plan(Score::kHolders, {4, 7}),
          plan(Score::kHolders, {}), plan(Score::kMishaps, {}), plan(Score::kHolders, {1, 2, 5})}) {
        if (testing_model::kIsSlowBuild && plans_tried++ == 1) {
            break;  // the optimised build tries all
        }
        const std::uint64_t count = testing_model::kIsSlowBuild     ? 600
                                    : testing_model::is_short_run() ? 2000
                                                                    : 3000;
        expect_unbiased(estimates(options, make_walker, each, count, 50), truth);
    }
}

TEST(Splitting, CountsWhatARunViolatesAfterTheFirst) {
    // From the goal every other run goes back to the beginning, the others end.
    DrawnSystem drawn = gamblers_ruin(4, 1);
    for (std::uint32_t node = 0; node < drawn.nodes.size(); ++node) {
        drawn.nodes[node].believed = node == 0 ? 1 : node == 1 ? 0 : node;
    }
    drawn.nodes[4].edges = {{ActionClass::kArrival, 0}, {ActionClass::kDeparture, 1}};
    const MakeWalker make_walker = walkers_of(drawn);
    MeasureOptions options = options_for({"full"}, up(1.0));
    Splitting splitting(make_walker, options, 0);
    SplittingPlan plan;
    plan.score = Score::kHolders;
    plan.levels = {2, 3};
    Spread spread;
    for (std::uint64_t i = 0; i < (testing_model::kIsSlowBuild ? 1000 : 3000); ++i) {
        spread.add(splitting.estimate(plan, i, 20).count);
    }
    // Node 1 is position 0, where runs end. With h = P(goal from 1) = 1/4, and from the goal back
    // to position 1 with 1/2: c = h (1 + c/2), so c = 2/7.
    expect_unbiased(spread, 2.0 / 7);
}

TEST(Splitting, LearnsTheScoreThatLeadsThere) {
    const MeasureOptions options = options_for({"full"}, up(0.25));
    const MakeWalker make_walker = walkers_of(seen_ruin(12, 1));
    SplittingCrew crew(make_walker, options, 0);
    const auto plan = learn_plan(crew, testing_model::kIsSlowBuild ? 150'000 : 1'000'000, 1e9, {});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->score, Score::kHolders) << name_of(plan->score);
    EXPECT_GE(plan->levels.size(), 5U);
    const std::uint64_t count = testing_model::kIsSlowBuild ? 100 : 400;
    expect_unbiased(estimates(options, make_walker, *plan, count, 200), ruin(0.25, 1, 12));
}

TEST(Splitting, MeasuresWhatNobodyWouldMeetByChance) {
    MeasureOptions options = options_for({"full"}, up(0.25));
    options.relative_width = testing_model::kIsSlowBuild ? 0.8 : 0.5;
    options.confidence = 0.999;
    const MeasureResult result = measure_by_splitting(walkers_of(seen_ruin(16, 1)), options);
    EXPECT_EQ(result.method, MeasureMethod::kSplitting);
    EXPECT_TRUE(result.complete) << result.limit;
    const PropertyRates& rates = result.properties[0];
    const double truth = ruin(0.25, 1, 16);  // 7e-10
    EXPECT_EQ(rates.hits, 0U) << "by plain runs";
    EXPECT_LE(rates.per_run.low, truth);
    EXPECT_GE(rates.per_run.high, truth);
    EXPECT_GT(rates.per_run.low, truth / 2);
    EXPECT_LT(rates.per_run.high, truth * 2);
}

TEST(SplittingThreads, AnyNumberOfJobsGivesTheSameFigures) {
    MeasureOptions options = options_for({"full"}, up(0.5));
    options.relative_width = 0.3;
    const MakeWalker make_walker = walkers_of(seen_ruin(9, 1));
    const MeasureResult alone = measure_by_splitting(make_walker, options);
    options.jobs = 3;
    const MeasureResult together = measure_by_splitting(make_walker, options);
    EXPECT_EQ(alone.runs, together.runs);
    EXPECT_EQ(alone.steps, together.steps);
    EXPECT_EQ(alone.properties[0].per_run.value, together.properties[0].per_run.value);
    EXPECT_EQ(alone.properties[0].per_run.high, together.properties[0].per_run.high);
    EXPECT_EQ(alone.properties[0].count_per_run.low, together.properties[0].count_per_run.low);
}

TEST(Splitting, SaysSoWhenNothingLeadsThere) {
    MeasureOptions options = options_for({"leak"}, up(0.5));
    const MeasureResult result = measure_by_splitting(walkers_of(seen_ruin(4, 1)), options);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.limit, "no score led to a violation");
    EXPECT_EQ(result.properties[0].per_run.low, 0);
    EXPECT_GT(result.properties[0].per_run.high, 0);
}

}  // namespace
}  // namespace lockkeeper::testing_measure
