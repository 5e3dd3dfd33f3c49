// SPDX-License-Identifier: Apache-2.0
#include "model/capped_ages.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

constexpr CappedAges::Bounds kBounds{100, kBeginning + 500, 50};

struct Told {
    Instant now = 1700;
    EndOfTime end{};
    Instant ahead = 1730;
    Instant past = 1650;
    Instant old = 1200;
    Instant none = 0;

    void rename() {
        CappedAges ages(now, end, kBounds);
        ages.instant(ahead);
        ages.instant(past);
        ages.instant(old, 60);
        ages.instant(none);
        ages.rename();
    }
};

TEST(CappedAges, KeepDistancesFromNowUpToAnAge) {
    Told told;
    told.rename();
    EXPECT_EQ(told.now, kBeginning + 100);
    EXPECT_EQ(told.ahead, told.now + 30);
    EXPECT_EQ(told.past, told.now - 50);
    EXPECT_EQ(told.old, told.now - 60);
    EXPECT_EQ(told.none, 0);
}

TEST(CappedAges, KeepWhatIsLeftOfTheTime) {
    Told told;
    told.now = 1400;
    told.rename();
    EXPECT_EQ(told.end.instant() - told.now, 100);
    told.now = static_cast<Instant>(told.now + 40);
    told.rename();
    EXPECT_EQ(told.end.instant() - told.now, 60);
}

TEST(CappedAges, ChangeNothingTheSecondTime) {
    Told told;
    told.rename();
    const Told once = told;
    told.rename();
    EXPECT_EQ(told.ahead, once.ahead);
    EXPECT_EQ(told.old, once.old);
    EXPECT_EQ(told.end.instant(), once.end.instant());
}

struct Numbered {
    std::array<std::uint8_t, 4> numbers;
    std::uint8_t high_water;
    std::uint8_t last = 200;

    explicit Numbered(std::array<std::uint8_t, 4> given, std::uint8_t high)
        : numbers(given), high_water(high) {
        Instant now = kBeginning;
        EndOfTime end{};
        CappedAges ages(now, end, kBounds);
        for (std::uint8_t& number : numbers) {
            ages.number(0, number);
        }
        ages.high_water(0, high_water);
        ages.last_number(0, 2, 128, 128, last);
        ages.rename();
    }
};

TEST(CappedAges, KeepTheOrderOfNumbersAndWhichAreNone) {
    const Numbered told({250, 64, 250, 0}, 0);
    EXPECT_EQ(told.numbers, (std::array<std::uint8_t, 4>{130, 129, 130, 0}));
    EXPECT_EQ(told.last, 130);
    EXPECT_EQ(told.high_water, 0);
}

TEST(CappedAges, KeepAHighWaterThatIsLargerThanANumber) {
    EXPECT_EQ(Numbered({63, 128, 0, 0}, 127).high_water, 130);
    EXPECT_EQ(Numbered({63, 128, 0, 0}, 127).numbers[1], 131);
    EXPECT_EQ(Numbered({63, 128, 0, 0}, 63).high_water, 129) << "no number is smaller";
    EXPECT_EQ(Numbered({0, 0, 0, 0}, 63).high_water, 129) << "it is larger than none";
    EXPECT_EQ(Numbered({0, 0, 0, 0}, 63).last, 128);
}

TEST(CappedAges, RefuseAnEndThatHasNoNumber) {
    Instant now = kBeginning;
    EndOfTime end{};
    end.set(kInstantMax);
    EXPECT_THROW(CappedAges(now, end, kBounds), LimitExceeded);
}

}  // namespace
}  // namespace lockkeeper
