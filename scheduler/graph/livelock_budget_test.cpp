// SPDX-License-Identifier: Apache-2.0

// Livelock is judged by a search of its own where the first one was reduced: in what is left of the
// time that both have.
#include <thread>

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

TEST(LivelockBudget, TheSecondSearchHasWhatTheFirstLeft) {
    const auto system = signal_runner(once_each({1, 2}, 1, 2));
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.reduction = Reduction::kPrivateSteps;
    options.counting = Counting::kOff;
    options.seconds_max = 30;
    const ExploreResult in_time = system->explore(options);
    ASSERT_EQ(Reduction::kPrivateSteps, in_time.reduction);
    EXPECT_TRUE(in_time.complete) << in_time.limit;

    // The first search has ended, and takes its time to tell what it has found.
    bool has_slept = false;
    options.seconds_max = 0.5;
    options.each_state = [&](std::string_view) {
        if (!has_slept) {
            std::this_thread::sleep_for(std::chrono::milliseconds(600));
            has_slept = true;
        }
    };
    const ExploreResult too_late = system->explore(options);
    EXPECT_TRUE(has_slept);
    EXPECT_FALSE(too_late.complete);
    EXPECT_EQ("time", too_late.limit);
}

}  // namespace
}  // namespace lockkeeper
