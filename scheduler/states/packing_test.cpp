// SPDX-License-Identifier: Apache-2.0
#include "scheduler/states/packing.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/base/random.hpp"

namespace lockkeeper {
namespace {

TEST(Packing, ScatteringIsTakenBackAndLeavesTheLowestBitsZero) {
    Random random(1);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t word = random.next() >> (64U - kPackedBits);
        const std::uint64_t stored = scattered(word);
        ASSERT_EQ(stored & ((1U << (64U - kPackedBits)) - 1), 0U);
        ASSERT_EQ(gathered(stored), word);
    }
    EXPECT_EQ(gathered(scattered(0)), 0U);
    const std::uint64_t last = (std::uint64_t{1} << kPackedBits) - 1;
    EXPECT_EQ(gathered(scattered(last)), last);
}

// Neighbours in every field go to all shards and all slots alike: what a table hopes for.
TEST(Packing, ScatteringSpreadsNeighbours) {
    for (unsigned shift = 0; shift < kPackedBits - 10; shift += 3) {
        std::array<int, 64> upper{};
        for (std::uint64_t i = 0; i < 1024; ++i) {
            ++upper[scattered(i << shift) >> 58U];
        }
        for (const int count : upper) {
            EXPECT_GT(count, 1) << shift;  // 16 on average
            EXPECT_LT(count, 16 * 3) << shift;
        }
    }
}

TEST(Packing, HasRoomForMoreThanWasAskedForAndForNoNumberTwice) {
    for (const PartCounts& counts : {PartCounts{0, 0, 0}, PartCounts{64, 200, 1},
                                     PartCounts{65, 60'000, 3}, PartCounts{2, 2, 60'000}}) {
        for (const std::size_t slots : {0U, 1U, 2U, 4U, 5U}) {
            const auto packing = Packing::fitting(slots, counts);
            ASSERT_TRUE(packing.has_value()) << slots;
            const PartCounts most = packing->most();
            EXPECT_GE(most.slots, std::max<std::size_t>(counts.slots, 1));
            EXPECT_GE(most.shared, counts.shared);
            EXPECT_GE(most.tails, counts.tails);
            // The largest number in one place, nothing in the others: there and back.
            for (std::size_t place = 0; place < slots + 2; ++place) {
                std::vector<std::uint32_t> numbers(slots + 2, 0);
                const std::size_t last = place < slots    ? most.slots
                                         : place == slots ? most.shared
                                                          : most.tails;
                numbers[place] = static_cast<std::uint32_t>(last - 1);
                const std::uint64_t word = packing->pack(numbers.data());
                EXPECT_EQ(word >> kPackedBits, 0U);
                std::vector<std::uint32_t> back(slots + 2, 77);
                packing->unpack(word, back.data());
                EXPECT_EQ(back, numbers);
            }
            const auto same = Packing::of(slots, packing->bits());
            ASSERT_TRUE(same.has_value());
            EXPECT_EQ(same->bits(), packing->bits());
        }
    }
}

// Like sorting the slots of the group, for every place and every number.
TEST(Packing, PutsOneSlotInOrder) {
    Random random(5);
    for (int round = 0; round < 20'000; ++round) {
        const std::size_t slots = 1 + random.below(9);
        const auto packing = Packing::fitting(slots, {});
        ASSERT_TRUE(packing.has_value());
        std::vector<std::uint32_t> numbers;
        for (std::size_t i = 0; i < slots + 2; ++i) {
            numbers.push_back(random.below(i < slots ? 8 : 4));
        }
        const std::size_t first = random.below(static_cast<std::uint32_t>(slots));
        const std::size_t last = first + random.below(static_cast<std::uint32_t>(slots - first));
        const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(last) + 1;
        std::sort(begin, end);
        const std::size_t at = first + random.below(static_cast<std::uint32_t>(last - first + 1));
        numbers[at] = random.below(8);
        const std::uint64_t word = packing->pack(numbers.data());
        std::sort(begin, end);
        const SlotGroup group{static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)};
        ASSERT_EQ(packing->in_order(word, at, group), packing->pack(numbers.data()));
    }
}

TEST(Packing, RefusesWhatDoesNotFit) {
    EXPECT_TRUE(Packing::fitting(7, {64, 65'000, 1}).has_value());
    EXPECT_FALSE(Packing::fitting(7, {65, 1'025, 1}).has_value());  // 7 x 7 + 11 > 58 bits
    EXPECT_FALSE(Packing::fitting(1, {kPartsMost + 1, 1, 1}).has_value());
    EXPECT_FALSE(Packing::fitting(100, {2, 1, 1}).has_value());
    EXPECT_FALSE(Packing::of(7, {7, 10, 0}).has_value());
    EXPECT_FALSE(Packing::of(1, {17, 1, 1}).has_value());
}

}  // namespace
}  // namespace lockkeeper
