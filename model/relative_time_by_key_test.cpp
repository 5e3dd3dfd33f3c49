// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "model/relative_time.hpp"

namespace lockkeeper {
namespace {

constexpr std::int32_t kLockPeriod = 1'000;  // of a lock, until it is free
constexpr std::int32_t kClockBehind = 3;
constexpr std::int32_t kLate = 2;
constexpr std::int32_t kPassed = kLockPeriod + 20;  // the bound; more than period, clocks and late

// One key: its lock, and what is to take it. All told as ages, and given back as such.
struct Ages {
    std::int32_t lock;
    std::vector<std::int32_t> readings;

    friend bool operator==(const Ages&, const Ages&) = default;
};
Ages made_relative(const Ages& before, bool is_active) {
    Instant now = 60'000;
    auto lock = static_cast<Instant>(now - before.lock);
    std::vector<Instant> readings;
    for (const std::int32_t age : before.readings) {
        readings.push_back(static_cast<Instant>(now - age));
    }
    RelativeTime times(now, {.period = kPassed,
                             .behind = kClockBehind,
                             .goes_by_key = true,
                             .late = kLate,
                             .periods = {kLockPeriod}});
    times.lock_of(0, lock, is_active);
    for (Instant& reading : readings) {
        times.told_reading(reading);
        times.takes(0);
    }
    times.rename();
    Ages after{now - lock, {}};
    for (const Instant reading : readings) {
        after.readings.push_back(now - reading);
    }
    return after;
}
Ages active(const Ages& before) { return made_relative(before, true); }
Ages inactive(const Ages& before) { return made_relative(before, false); }

TEST(RelativeTimeByKey, WhatMayStillBeComparedWithAClockKeepsItsAge) {
    const Ages all{kPassed, {0, kPassed, 17}};
    EXPECT_EQ(active(all), all);
}

TEST(RelativeTimeByKey, HowLongAgoALockHasBecomeFreeIsForgotten) {
    EXPECT_EQ(active({kPassed + 1, {}}), active({30'000, {}}));
    EXPECT_NE(active({kPassed, {}}), active({kPassed + 1, {}}));
    EXPECT_EQ(active({30'000, {5}}), active({40'000, {5}}));
}

TEST(RelativeTimeByKey, WhetherAReadingTakesALockThatHasPassedIsNot) {
    const std::int32_t reading = 900;
    const std::int32_t free = reading + kLockPeriod;
    EXPECT_NE(active({free - 1, {reading}}), active({free, {reading}}));
    EXPECT_EQ(active({free - 1, {reading}}), active({free - 300, {reading}}));
    EXPECT_EQ(active({free + kLate, {reading}}), active({free + 300, {reading}}));
    // The reading has passed, too.
    EXPECT_NE(active({21'000, {20'001}}), active({21'000, {20'000}}));
    EXPECT_EQ(active({21'002, {20'000}}), active({25'000, {20'000}}));
    EXPECT_EQ(active({20'000, {25'000}}), active({20'000, {20'500}}));
}

// Each late take makes the lock one younger.
TEST(RelativeTimeByKey, NorWhetherItStillDoesAfterLateTakes) {
    const std::int32_t reading = 900;
    const std::int32_t free = reading + kLockPeriod;
    for (std::int32_t late = 0; late < kLate; ++late) {
        EXPECT_NE(active({free + late, {reading}}), active({free + late + 1, {reading}})) << late;
    }
}

TEST(RelativeTimeByKey, AReleasedLockThatIsEarlierThanEachReadingHasNoAge) {
    const Ages before{500, {490, 1}};
    EXPECT_EQ(inactive(before), inactive({5'000, {490, 1}}));
    EXPECT_NE(active(before), active({501, {490, 1}}));
    EXPECT_EQ(inactive({kClockBehind + kLate + 1, {}}), inactive({9'000, {}}));
    EXPECT_NE(inactive({kClockBehind + kLate, {}}), inactive({9'000, {}}));
}

// A caller that takes the lock by an earlier reading makes it active again, at one unit later.
TEST(RelativeTimeByKey, AReleasedLockThatALateReadingMayTakeIsComparedAsAnActiveOne) {
    const std::int32_t young = 900;
    const std::int32_t free = young + kLockPeriod;
    EXPECT_NE(inactive({free - 1, {free + 50, young}}), inactive({free + 1, {free + 50, young}}));
    EXPECT_NE(inactive({500, {510}}), inactive({501, {510}}));
}

TEST(RelativeTimeByKey, OtherKeysAreNotCompared) {
    Instant now = 60'000;
    std::array<Instant, 2> locks{40'000, 50'000};
    Instant reading = 59'000;
    RelativeTime times(now, {.period = kPassed,
                             .behind = kClockBehind,
                             .goes_by_key = true,
                             .late = kLate,
                             .periods = {kLockPeriod}});
    times.lock_of(0, locks[0], true);
    times.lock_of(1, locks[1], true);
    times.told_reading(reading);
    times.takes(0);
    times.rename();
    EXPECT_EQ(now - locks[1], kPassed + 1);
    EXPECT_EQ(now - reading, 1'000);
    EXPECT_EQ(now - locks[0], 1'000 + kLockPeriod + kLate);
}

TEST(RelativeTimeByKey, OfTokensIsLeftThatThereIsOne) {
    Instant now = 3'000;
    Instant token = 2'000;
    Instant none = 0;
    RelativeTime times(now, {.period = kPassed, .behind = kClockBehind, .goes_by_key = true});
    times.token(token);
    times.token(none);
    times.rename();
    EXPECT_EQ(token, RelativeTime::kNoStamp);
    EXPECT_EQ(none, 0);
}

}  // namespace
}  // namespace lockkeeper
