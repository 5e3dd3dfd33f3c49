// SPDX-License-Identifier: Apache-2.0
#include "model/relative_time.hpp"

#include <array>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

constexpr std::int32_t kPeriod = 100;
constexpr std::int32_t kBehind = 5;

// `now` and the other instants after the renaming, in units since the beginning.
struct Renamed {
    std::int32_t now;
    std::vector<std::int32_t> instants;
    std::vector<std::int32_t> readings;
};

Renamed renamed(std::int32_t now, std::initializer_list<std::int32_t> instants,
                std::initializer_list<std::int32_t> readings = {}) {
    const auto at = [](std::int32_t units) { return static_cast<Instant>(kBeginning + units); };
    const auto since = [](Instant instant) { return instant - kBeginning; };
    Instant clock = at(now);
    std::vector<Instant> told;
    for (const std::int32_t one : instants) {
        told.push_back(at(one));
    }
    std::vector<Instant> read;
    for (const std::int32_t one : readings) {
        read.push_back(at(one));
    }
    RelativeTime times(clock, {kPeriod, kBehind});
    for (Instant& one : told) {
        times.instant(one);
    }
    for (Instant& one : read) {
        times.reading(one);
    }
    times.rename();
    Renamed result{since(clock), {}, {}};
    for (const Instant one : told) {
        result.instants.push_back(since(one));
    }
    for (const Instant one : read) {
        result.readings.push_back(since(one));
    }
    return result;
}

TEST(RelativeTimeTest, WhatHappensLaterIsTheSame) {
    const Renamed early = renamed(50, {20, 120});
    const Renamed late = renamed(30'050, {30'020, 30'120});
    EXPECT_EQ(early.now, late.now);
    EXPECT_EQ(early.instants, late.instants);
    EXPECT_EQ(early.now - early.instants[0], 30);
    EXPECT_EQ(early.instants[1] - early.now, 70);
}

TEST(RelativeTimeTest, WhatLiesAheadKeepsItsDistanceHoweverFarItIs) {
    const Renamed far = renamed(10, {10'000});
    EXPECT_EQ(far.instants[0] - far.now, 9'990);
}

TEST(RelativeTimeTest, WithinAPeriodOfWhatAClockMayShowDistancesStay) {
    const std::int32_t least = 1'000 - kBehind - kPeriod;
    const Renamed within = renamed(1'000, {least, least + 1});
    EXPECT_EQ(within.now - within.instants[0], kBehind + kPeriod);
    EXPECT_EQ(within.instants[1] - within.instants[0], 1);
}

TEST(RelativeTimeTest, WhatIsOlderKeepsItsOrderAndNothingElse) {
    const Renamed one = renamed(1'000, {10, 20, 20, 700});
    const Renamed other = renamed(1'000, {300, 555, 555, 556});
    EXPECT_EQ(one.now, other.now);
    EXPECT_EQ(one.instants, other.instants);
    EXPECT_LT(one.instants[0], one.instants[1]);
    EXPECT_EQ(one.instants[1], one.instants[2]);
    EXPECT_LT(one.instants[1], one.instants[3]);
    EXPECT_GT(one.now - one.instants[3], kPeriod + kBehind);
}

TEST(RelativeTimeTest, AReadingIsStillComparedWithWhatIsOlder) {
    const Renamed apart = renamed(1'000, {300, 310}, {350});
    EXPECT_EQ(apart.readings[0] - apart.instants[0], 50);
    EXPECT_EQ(apart.readings[0] - apart.instants[1], 40);
    // The gap between the reading and what clocks show is wider than any period.
    EXPECT_EQ(apart.now - apart.readings[0], kBehind + kPeriod + 1);
}

TEST(RelativeTimeTest, AsInstantsLeaveTheFormDoesNotDependOnWhenItWasTaken) {
    // 700 is old, 800 is not, and then 800 is forgotten.
    Renamed with = renamed(1'000, {700, 890, 800});
    const Renamed without = renamed(1'000, {700, 890});
    const Renamed again = renamed(with.now, {with.instants[0], with.instants[1]});
    EXPECT_EQ(again.now, without.now);
    EXPECT_EQ(again.instants, without.instants);
}

TEST(RelativeTimeTest, NoneAndNeverStayWhatTheyAre) {
    Instant now = kBeginning + 500;
    Instant none = 0;
    Instant never = kInstantMax + 1;
    RelativeTime times(now, {kPeriod, kBehind});
    times.instant(none);
    times.reading(none);
    times.instant(never);
    times.rename();
    EXPECT_EQ(none, 0);
    EXPECT_EQ(never, kInstantMax + 1);
    EXPECT_EQ(now, kBeginning + kBehind);
}

TEST(RelativeTimeTest, WhatIsOldIsAlikeWhereNobodyTellsItApart) {
    Instant now = kBeginning + 1'000;
    std::array<Instant, 3> old{kBeginning + 10, kBeginning + 20, kBeginning + 900};
    RelativeTime times(now, {.period = kPeriod, .behind = kBehind, .orders_old = false});
    times.instants(old);
    times.rename();
    EXPECT_EQ(old[0], old[1]);
    EXPECT_EQ(now - old[0], kBehind + kPeriod + 1);
    EXPECT_EQ(now - old[2], 100);
}

TEST(RelativeTimeTest, OfTokensAndStampsIsLeftWhichAreEqual) {
    const auto at = [](std::int32_t units) { return static_cast<Instant>(kBeginning + units); };
    Instant now = at(1'000);
    Instant active = at(250);
    std::array<Instant, 5> tokens{at(400), at(300), at(350), at(250), 0};
    std::array<Instant, 4> stamps{at(400), at(500), at(300), at(250)};
    RelativeTime times(now, {kPeriod, kBehind});
    times.instant(active);
    std::for_each(tokens.begin(), tokens.end(), [&](Instant& one) { times.token(one); });
    std::for_each(stamps.begin(), stamps.end(), [&](Instant& one) { times.stamp(one); });
    times.rename();
    EXPECT_EQ(tokens, (std::array<Instant, 5>{2, 3, RelativeTime::kNoStamp, active, 0}));
    EXPECT_EQ(stamps, (std::array<Instant, 4>{2, 1, 3, active}));
}

// A reading that is still to be written can be equal to them, and is compared with stamps.
TEST(RelativeTimeTest, TokensAndStampsThatAReadingMayMeetAreInstants) {
    Instant now = kBeginning + 1'000;
    Instant reading = kBeginning + 600;
    Instant token = kBeginning + 650;
    Instant stamp = kBeginning + 600;
    Instant earlier = kBeginning + 599;
    RelativeTime times(now, {kPeriod, kBehind});
    times.stamp(stamp);
    times.stamp(earlier);
    times.token(token);
    times.reading(reading);
    times.rename();
    EXPECT_EQ(stamp, reading);
    EXPECT_EQ(token - reading, 50);
    EXPECT_EQ(earlier, 1);
}

TEST(RelativeTimeTest, NumbersKeepTheirOrderEachKindForItself) {
    Instant now = kBeginning;
    std::array<std::uint8_t, 3> first{7, 3, 0};
    std::uint16_t alike = 7;
    std::uint8_t second = 200;
    std::uint8_t last_of_first = 9;
    std::uint8_t last_of_second = 255;
    RelativeTime times(now, {kPeriod, kBehind});
    for (std::uint8_t& number : first) {
        times.number(0, number);
    }
    times.number(0, alike);
    times.number(1, second);
    times.last_number(0, last_of_first);
    times.last_number(1, last_of_second);
    times.rename();
    EXPECT_EQ(first, (std::array<std::uint8_t, 3>{2, 1, 0}));
    EXPECT_EQ(alike, 2);
    EXPECT_EQ(last_of_first, 2);
    EXPECT_EQ(second, 1);
    EXPECT_EQ(last_of_second, 1);
}

TEST(RelativeTimeTest, WhatIsYoungerThanALongPeriodKeepsItsDistanceAndMovesToTheBeginning) {
    Instant now = kInstantMax;
    auto first = static_cast<Instant>(now - 60'000);
    auto second = static_cast<Instant>(now - 20'000);
    RelativeTime times(now, {.period = 60'000});
    times.reading(first);
    times.reading(second);
    times.rename();
    EXPECT_EQ(kBeginning, first);
    EXPECT_EQ(60'000, now - first);
    EXPECT_EQ(20'000, now - second);
}

// Its distance is not known: if the others moved, it would come too late.
TEST(RelativeTimeTest, WhileAnInstantHasNoNumberNoneIsMoved) {
    for (const bool goes_by_key : {false, true}) {
        Instant now = 50'000;
        Instant set = 40'000;
        Instant deadline = RelativeTime::kAfterTheEnd;
        RelativeTime times(now, {.period = 60'000, .goes_by_key = goes_by_key});
        times.instant(set);
        times.instant(deadline);
        times.rename();
        EXPECT_EQ(50'000, now);
        EXPECT_EQ(40'000, set);
        EXPECT_EQ(RelativeTime::kAfterTheEnd, deadline);
    }
}

// The earliest instant lies before the beginning, so that all would move away from it.
TEST(RelativeTimeTest, NothingIsMovedToWhereThereAreNoNumbers) {
    const auto now_of = [](Instant before, bool goes_by_key) {
        auto ahead = static_cast<Instant>(before + 1'000);
        RelativeTime times(before, {.period = 64'000, .behind = 500, .goes_by_key = goes_by_key});
        Instant first = kBeginning - 500;
        times.reading(first);
        times.instant(ahead);
        times.rename();
        EXPECT_EQ(1'000, ahead - before);
        return before;
    };
    for (const bool goes_by_key : {false, true}) {
        EXPECT_EQ(63'600, now_of(63'600, goes_by_key));
        EXPECT_EQ(63'500 + 500, now_of(63'500, goes_by_key));
    }
}

}  // namespace
}  // namespace lockkeeper
