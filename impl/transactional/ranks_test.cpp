// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "impl/transactional/transaction_state.hpp"

namespace lockkeeper::transactional {
namespace {

// The naive twin: sorted, their places counted.
std::vector<std::uint8_t> places_of(const std::vector<std::uint8_t>& ranks) {
    std::vector<std::uint8_t> sorted = ranks;
    std::erase(sorted, 0);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<std::uint8_t> places;
    for (const std::uint8_t rank : ranks) {
        const auto at = std::find(sorted.begin(), sorted.end(), rank);
        places.push_back(rank == 0 ? std::uint8_t{0}
                                   : static_cast<std::uint8_t>(at - sorted.begin() + 1));
    }
    return places;
}

TEST(Ranks, numbers_who_is_left_in_the_order_in_which_they_came) {
    const std::vector<std::vector<std::uint8_t>> cases{{},           {0},
                                                       {1},          {0xFF},
                                                       {2, 1, 3},    {3, 1},
                                                       {2, 0, 0xFF}, {5, 3, 0xFF},
                                                       {1, 2, 0xFF}, {0, 4, 0, 2, 0xFF},
                                                       {2, 2, 5},    {1, 2, 3, 4, 5}};
    for (const auto& before : cases) {
        Ranks ranks;
        for (const std::uint8_t rank : before) {
            ranks.add(rank);
        }
        std::vector<std::uint8_t> after;
        for (const std::uint8_t rank : before) {
            after.push_back(ranks.renumbered(rank));
        }
        EXPECT_EQ(after, places_of(before));
        EXPECT_EQ(ranks.in_order(), after == before);
    }
}

}  // namespace
}  // namespace lockkeeper::transactional
