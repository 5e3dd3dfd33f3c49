// SPDX-License-Identifier: Apache-2.0

// A scenario measured both ways: which figures are compared, and that a wrong figure is named.
#include <gtest/gtest.h>

#include "measure/measured_point.hpp"
#include "properties/catalogue.hpp"

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

}  // namespace
}  // namespace lockkeeper
