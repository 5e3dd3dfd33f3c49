// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/estimate.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

// Level sizes shaped like a bell of `total` states around level 30.
std::vector<std::uint64_t> bell(double total, std::size_t levels) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t level = 0; level < levels; ++level) {
        const double away = (static_cast<double>(level) - 30) / 8;
        const double density = std::exp(-away * away / 2) / (8 * std::sqrt(2 * std::acos(-1.0)));
        sizes.push_back(static_cast<std::uint64_t>(std::lround(total * density)));
    }
    return sizes;
}

TEST(EstimateOfTheTotal, FindsTheRestOfABell) {
    constexpr double kTotal = 1e9;
    for (const std::size_t levels : {20U, 30U, 40U, 50U}) {
        const auto estimate = estimate_total(bell(kTotal, levels));
        ASSERT_TRUE(estimate.has_value()) << levels;
        EXPECT_NEAR(estimate->states, kTotal, kTotal / 100) << levels;
        EXPECT_LE(estimate->least, estimate->states);
        EXPECT_GE(estimate->most, estimate->states);
    }
}

TEST(EstimateOfTheTotal, IsNotGivenForFewLevels) {
    EXPECT_EQ(estimate_total({}), std::nullopt);
    EXPECT_EQ(estimate_total({1, 3, 6, 10, 12, 11, 9}), std::nullopt);
}

// Searches of some thousand states on hundreds of levels spent a fifth of their time on it.
TEST(EstimateOfTheTotal, IsNotGivenForFewStates) {
    EXPECT_EQ(estimate_total(bell(20'000, 30)), std::nullopt);
    EXPECT_NE(estimate_total(bell(50'000, 30)), std::nullopt);
}

TEST(EstimateOfTheTotal, IsNotGivenWhileLevelsGrowFasterAndFaster) {
    std::vector<std::uint64_t> levels;
    for (std::uint64_t level = 1; level < 25; ++level) {
        levels.push_back(std::uint64_t{1} << (level * level / 16));
    }
    EXPECT_EQ(estimate_total(levels), std::nullopt);
}

}  // namespace
}  // namespace lockkeeper
