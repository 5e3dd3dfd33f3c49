// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/work_crew.hpp"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

TEST(WorkCrewThreads, EveryPieceIsDoneOnceInEveryRoundByWhateverSize) {
    for (const std::size_t size : {0U, 1U, 2U, 3U, 8U}) {
        WorkCrew crew(size);
        EXPECT_EQ(crew.size(), std::max<std::size_t>(size, 1));
        for (const std::size_t pieces : {0U, 1U, 2U, 7U, 500U}) {
            for (int round = 0; round < 20; ++round) {
                std::vector<unsigned> done(pieces, 0);  // each piece has a place of its own
                crew.run(pieces, [&](std::size_t worker, std::size_t piece) {
                    ASSERT_LT(worker, crew.size());
                    ++done[piece];
                });
                EXPECT_EQ(done, std::vector<unsigned>(pieces, 1));
            }
        }
    }
}

TEST(WorkCrewThreads, WhatWasWrittenIsSeenAfterTheRound) {
    WorkCrew crew(4);
    std::vector<std::uint64_t> sums(64, 0);
    for (std::uint64_t round = 1; round <= 200; ++round) {
        crew.run(sums.size(), [&](std::size_t, std::size_t piece) { sums[piece] += round; });
    }
    EXPECT_EQ(sums, std::vector<std::uint64_t>(64, 200 * 201 / 2));
}

TEST(WorkCrewThreads, WhatTheFirstFailingPieceThrowsIsThrownOnAndAllAreDone) {
    for (const std::size_t size : {1U, 4U}) {
        WorkCrew crew(size);
        for (int round = 0; round < 50; ++round) {
            std::vector<unsigned> done(40, 0);
            const auto task = [&](std::size_t, std::size_t piece) {
                ++done[piece];
                if (piece % 10 == 7) {
                    throw std::runtime_error(std::to_string(piece));
                }
            };
            try {
                crew.run(done.size(), task);
                FAIL() << "nothing was thrown";
            } catch (const std::runtime_error& error) {
                EXPECT_STREQ(error.what(), "7");
            }
            EXPECT_EQ(done, std::vector<unsigned>(40, 1));
            EXPECT_NO_THROW(crew.run(5, [](std::size_t, std::size_t) {}));
        }
    }
}

TEST(WorkCrewThreads, OneThatNeverWorkedGoesHomeToo) {
    const WorkCrew idle(4);
    EXPECT_EQ(idle.size(), 4U);
}

}  // namespace
}  // namespace lockkeeper
