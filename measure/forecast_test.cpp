// SPDX-License-Identifier: Apache-2.0

// Forecasts against numbers computed by hand.
#include <cmath>

#include <gtest/gtest.h>

#include "measure/measured_point.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

// A run of 4 acquires loses a fiftieth of a unit: one unit in 200 acquires.
MeasureResult one_in_200() {
    MeasureResult measured;
    measured.capacity_lost = {0.02, 0.01, 0.04};
    measured.acquires_per_run = {4, 4, 5};
    return measured;
}

TEST(Forecast, OneUnitInTwoHundredAcquiresOfTenASecondIsGoneEveryTwentySeconds) {
    const Forecast forecast = forecast_of(one_in_200(), {10, 100, 0.01});
    EXPECT_DOUBLE_EQ(forecast.units_per_acquire.value, 0.005);
    EXPECT_DOUBLE_EQ(forecast.units_per_day.value, 4320);       // 864,000 acquires a day
    EXPECT_DOUBLE_EQ(forecast.seconds_to_seizure.value, 2000);  // 100 units of 20 s
    EXPECT_DOUBLE_EQ(forecast.restart_seconds.value, 20);       // one unit of the hundred
}

TEST(Forecast, IntervalsAreMadeOfTheWorstAndTheBestOfBothFigures) {
    const Forecast forecast = forecast_of(one_in_200(), {10, 100, 0.01});
    EXPECT_DOUBLE_EQ(forecast.units_per_acquire.low, 0.01 / 5);
    EXPECT_DOUBLE_EQ(forecast.units_per_acquire.high, 0.04 / 4);
    EXPECT_DOUBLE_EQ(forecast.units_per_day.high, 8640);
    EXPECT_DOUBLE_EQ(forecast.seconds_to_seizure.low, 1000);
    EXPECT_DOUBLE_EQ(forecast.seconds_to_seizure.high, 5000);
    EXPECT_DOUBLE_EQ(forecast.restart_seconds.low, 10);
}

TEST(Forecast, WhatNeverLeaksNeverSeizes) {
    MeasureResult measured = one_in_200();
    measured.capacity_lost = {};
    const Forecast forecast = forecast_of(measured, {10, 100, 0.01});
    EXPECT_EQ(forecast.units_per_day.high, 0);
    EXPECT_TRUE(std::isinf(forecast.seconds_to_seizure.low));
    EXPECT_TRUE(std::isinf(forecast.restart_seconds.value));
}

TEST(Forecast, ZeroHitsLeaveAnIntervalWithoutAnUpperEndOfTheTime) {
    MeasureResult measured = one_in_200();
    measured.capacity_lost = {0, 0, 0.001};
    const Forecast forecast = forecast_of(measured, {1, 8, 0.5});
    EXPECT_TRUE(std::isinf(forecast.seconds_to_seizure.value));
    EXPECT_TRUE(std::isinf(forecast.seconds_to_seizure.high));
    EXPECT_DOUBLE_EQ(forecast.seconds_to_seizure.low, 8 / (0.001 / 4));
    EXPECT_DOUBLE_EQ(forecast.restart_seconds.low, 4 / (0.001 / 4));
}

TEST(Forecast, ARunWithoutAnyAcquireGivesNoNumberThatIsNone) {
    const Forecast forecast = forecast_of({}, {1, 1, 0.01});
    EXPECT_EQ(forecast.units_per_day.value, 0);
    MeasureResult lost;
    lost.capacity_lost = {1, 1, 1};
    EXPECT_TRUE(std::isinf(forecast_of(lost, {1, 1, 0.01}).units_per_day.value));
}

TEST(Forecast, EventsADayAreEventsPerAcquireTimesAcquires) {
    MeasureResult measured = one_in_200();
    PropertyRates rates;
    rates.property = find_property("over-allocation");
    rates.per_acquire = {1e-6, 5e-7, 2e-6};
    measured.properties.push_back(rates);
    rates.property = find_property("leak");  // of states at rest: no event
    measured.properties.push_back(rates);
    const Forecast forecast = forecast_of(measured, {100, 1, 0.01});
    ASSERT_EQ(forecast.events.size(), 1U);
    EXPECT_DOUBLE_EQ(forecast.events.front().per_day.value, 8.64);
    EXPECT_DOUBLE_EQ(forecast.events.front().per_day.low, 4.32);
    EXPECT_DOUBLE_EQ(forecast.events.front().per_day.high, 17.28);
}

}  // namespace
}  // namespace lockkeeper
