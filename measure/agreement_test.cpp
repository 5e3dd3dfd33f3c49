// SPDX-License-Identifier: Apache-2.0

// A scenario measured both ways: which figures are compared, and that a wrong figure is named.
#include <gtest/gtest.h>

#include "measure/chains_test.hpp"
#include "measure/measured_point.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/registry/coarse_time.hpp"
#include "scheduler/erased_runner.hpp"

namespace lockkeeper {
namespace {

MeasureResult measured_alike(std::uint64_t hits) {
    MeasureResult result;
    PropertyRates leak;
    leak.property = find_property("leak");
    leak.per_run = {0.1, 0.09, 0.11};
    leak.count_per_run = {0.2, 0.19, 0.21};
    leak.per_acquire = {0.1, 0.09, 0.11};
    leak.hits = hits;
    result.properties = {leak};
    result.acquires_per_run = {2, 1.9, 2.1};
    result.capacity_lost = {0.3, 0.29, 0.31};
    result.runs = 20'000;
    result.confidence = 0.999999;
    return result;
}

TEST(AgreementOfMethods, HoldsWhereEveryFigureMeetsItsInterval) {
    const Agreement agreement = compared(measured_alike(0), measured_alike(kHitsOfAMean));
    EXPECT_TRUE(agreement.agrees());
    EXPECT_EQ(agreement.figures, 5U) << "probability, count, per acquire, capacity, acquires";
}

TEST(AgreementOfMethods, NamesTheFirstFigureThatDoesNot) {
    const std::pair<Figure MeasureResult::*, ComparedFigure> of_a_run[] = {
        {&MeasureResult::acquires_per_run, ComparedFigure::kAcquiresPerRun},
        {&MeasureResult::capacity_lost, ComparedFigure::kCapacityLost},
    };
    for (const auto& [member, which] : of_a_run) {
        MeasureResult exact = measured_alike(0);
        exact.*member = {0.5, 0.5, 0.5};
        const Agreement agreement = compared(exact, measured_alike(kHitsOfAMean));
        ASSERT_FALSE(agreement.agrees());
        EXPECT_EQ(agreement.difference->which, which);
        EXPECT_EQ(agreement.difference->property, nullptr);
        EXPECT_EQ(agreement.difference->exact.value, 0.5);
    }
    const std::pair<Figure PropertyRates::*, ComparedFigure> of_a_property[] = {
        {&PropertyRates::per_run, ComparedFigure::kPerRun},
        {&PropertyRates::count_per_run, ComparedFigure::kCountPerRun},
        {&PropertyRates::per_acquire, ComparedFigure::kPerAcquire},
    };
    for (const auto& [member, which] : of_a_property) {
        MeasureResult exact = measured_alike(0);
        exact.properties.front().*member = {0.5, 0.5, 0.5};
        const Agreement agreement = compared(exact, measured_alike(kHitsOfAMean));
        ASSERT_FALSE(agreement.agrees());
        EXPECT_EQ(agreement.difference->which, which);
        EXPECT_EQ(agreement.difference->property, find_property("leak"));
    }
}

TEST(AgreementOfMethods, LeavesOutTheMeansOfWhatIsRare) {
    MeasureResult exact = measured_alike(0);
    exact.properties.front().count_per_run = {0.5, 0.5, 0.5};
    exact.capacity_lost = {0.5, 0.5, 0.5};
    const Agreement agreement = compared(exact, measured_alike(kHitsOfAMean - 1));
    EXPECT_TRUE(agreement.agrees());
    EXPECT_EQ(agreement.figures, 2U);
    exact.properties.front().per_run = {0.5, 0.5, 0.5};
    EXPECT_FALSE(compared(exact, measured_alike(0)).agrees()) << "its interval is exact";
}

TEST(AgreementOfMethods, LeavesOutWhatNeedNotHappen) {
    MeasureResult exact = measured_alike(0);
    exact.properties.front().to_first = {kInfinity, kInfinity, kInfinity};
    MeasureResult sampled = measured_alike(kHitsOfAMean);
    sampled.properties.front().to_first = {7, 6, 8};
    EXPECT_TRUE(compared(exact, sampled).agrees());
}

// "full" has 7/8 and "leak" nothing, in a scenario whose times are brought together by a unit.
TEST(MeasuredInCoarseTime, IsNotCompleteAndBelowNothing) {
    Vocabulary words;
    words.parameters = {of_time({"ttl", 0, 60'000, 0, ""}), of_time({"free", 0, 60'000, 0, ""})};
    words.knows_its_times = true;
    Scenario scenario;
    scenario.parameters.own = NamedNumbers::Map{{"ttl", 3'000}, {"free", 40'000'000}};
    const auto runner = with_limit_of_time(
        words, scenario,
        make_erased_runner(ErasedSystem(testing_measure::two_callers(0)), {}, WorldConfig(), 0));
    ASSERT_NE("", limit_of_time(*runner));
    MeasureOptions options = testing_measure::options_for({"full", "leak"});
    options.method = MeasureMethod::kExact;
    options.bounds = true;
    const MeasureResult result = measure_point(*runner, scenario, options, true, 1).result;
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(limit_of_time(*runner), result.limit);
    ASSERT_EQ(2U, result.properties.size());
    EXPECT_EQ(1, result.properties[1].per_run.high);
    EXPECT_FALSE(result.properties[1].extremes.has_value());
    EXPECT_FALSE(check_below(result, 0.9).is_below.has_value());
    EXPECT_EQ(std::optional(false), check_below(result, 0.5).is_below);
    const RateBounds bounds{{"full", 0.5}, {"leak", 0.0}};
    for (const auto& checks :
         {check_bounds(result, bounds), check_rates(*runner, bounds, options)}) {
        ASSERT_EQ(2U, checks.size());
        EXPECT_EQ(std::optional(false), checks[0].met);
        EXPECT_FALSE(checks[1].met.has_value());
    }
}

}  // namespace
}  // namespace lockkeeper
