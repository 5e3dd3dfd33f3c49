// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "work/incident.hpp"

namespace lockkeeper {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMillisecond;
constexpr std::int32_t kUnitsMax = 59'000;

IncidentOperation operation(std::uint32_t caller, LockCode code, std::int64_t earliest,
                            std::int64_t latest) {
    IncidentOperation made;
    made.caller = caller;
    made.code = code;
    made.earliest = earliest * kMillisecond;
    made.latest = latest * kMillisecond;
    return made;
}

TEST(IncidentTimes, AWriteWithoutTheLockComesOnlyWhenTheLeaseHasRunOut) {
    std::vector<IncidentOperation> run = {operation(0, LockCode::kAcquire, 10, 12),
                                          operation(0, LockCode::kWrite, 500, 2'000)};
    run[1].is_outside = true;
    const auto times = incident_times(run, kSecond, kUnitsMax);
    ASSERT_TRUE(times.has_value());
    EXPECT_EQ(kMillisecond, times->unit);
    EXPECT_EQ((std::vector<std::int32_t>{0, 1'000}), times->at);
    run[1].is_outside = false;  // a holder's, at once
    EXPECT_EQ((std::vector<std::int32_t>{0, 490}), incident_times(run, kSecond, kUnitsMax)->at);
}

TEST(IncidentTimes, ARefusalNeedsALeaseThatStillRuns) {
    std::vector<IncidentOperation> run = {operation(0, LockCode::kAcquire, 0, 900),
                                          operation(1, LockCode::kAcquire, 1'500, 1'500)};
    run[1].is_refused = true;
    const auto times = incident_times(run, kSecond, kUnitsMax);
    ASSERT_TRUE(times.has_value());
    EXPECT_EQ((std::vector<std::int32_t>{501, 1'500}), times->at);
    run[0].latest = 400 * kMillisecond;
    EXPECT_FALSE(incident_times(run, kSecond, kUnitsMax).has_value());
}

TEST(IncidentTimes, TwoGrantsWithinALeaseHaveNone) {
    const std::vector<IncidentOperation> run = {operation(0, LockCode::kAcquire, 0, 0),
                                                operation(1, LockCode::kAcquire, 500, 600)};
    EXPECT_FALSE(incident_times(run, kSecond, kUnitsMax).has_value());
    EXPECT_TRUE(incident_times(run, kSecond / 2, kUnitsMax).has_value());
}

TEST(IncidentTimes, ARenewalKeepsTheLease) {
    const std::vector<IncidentOperation> run = {operation(0, LockCode::kAcquire, 0, 0),
                                                operation(0, LockCode::kRenew, 900, 900),
                                                operation(0, LockCode::kWrite, 1'800, 1'800),
                                                operation(1, LockCode::kAcquire, 1'900, 1'900)};
    const auto times = incident_times(run, kSecond, kUnitsMax);
    ASSERT_TRUE(times.has_value());
    EXPECT_EQ(1'900, times->at.back());
}

TEST(IncidentTimes, ALongNightHasACoarserUnitThatTheLeaseIsAMultipleOf) {
    constexpr std::int64_t kDay = 86'400'000;  // milliseconds
    const std::vector<IncidentOperation> run = {
        operation(0, LockCode::kAcquire, 0, 0),
        operation(1, LockCode::kAcquire, kDay, kDay + 10'000)};
    const auto times = incident_times(run, 120 * kSecond, kUnitsMax);
    ASSERT_TRUE(times.has_value());
    EXPECT_EQ(10 * kSecond, times->unit);
    EXPECT_FALSE(incident_times(run, 15 * kSecond, 5'000).has_value());
}

TEST(IncidentOperations, WhoIsOnlyRefusedIsNoPartOfWhatHappened) {
    std::vector<IncidentOperation> run = {operation(0, LockCode::kAcquire, 0, 0),
                                          operation(1, LockCode::kAcquire, 1, 1),
                                          operation(0, LockCode::kRelease, 2, 2)};
    run[1].is_refused = true;
    EXPECT_EQ(2U, without_bystanders(run).size());
    run[1].is_refused = false;
    EXPECT_EQ(3U, without_bystanders(run).size());
}

TEST(IncidentOperations, APartBeginsWithTheGrantThatTheWriterReliedOn) {
    std::vector<IncidentOperation> run = {
        operation(2, LockCode::kAcquire, 0, 0),   operation(2, LockCode::kRelease, 1, 1),
        operation(0, LockCode::kAcquire, 2, 2),   operation(3, LockCode::kAcquire, 3, 3),
        operation(1, LockCode::kAcquire, 10, 10), operation(0, LockCode::kWrite, 11, 11),
        operation(2, LockCode::kAcquire, 12, 12)};
    run[3].is_refused = true;
    run[5].is_outside = true;
    const auto part = around_first_outside(run);
    ASSERT_EQ(3U, part.size());
    EXPECT_EQ(0U, part[0].caller);
    EXPECT_EQ(1U, part[1].caller);
    EXPECT_TRUE(part[2].is_outside);
}

}  // namespace
}  // namespace lockkeeper
