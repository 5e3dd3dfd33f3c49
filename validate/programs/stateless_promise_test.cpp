// SPDX-License-Identifier: Apache-2.0

// Programs that say `stateless` and are not: a search that takes their word leaves out the runs
// that break them.
#include <gmock/gmock.h>

#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

const std::string kLiar = other_child("not_stateless.py");

TEST(StatelessPromise, ThatIsNotKeptIsNoPassAndBothRunsAreNamed) {
    NEEDS_TOOL("python3");
    const Searched searched(kLiar, pairs(2, 1));
    EXPECT_EQ("diverged", searched.found()) << "the run that breaks it was left out";
    EXPECT_THAT(searched.result.diverged,
                ::testing::StartsWith("it says \"stateless\", and keeps something"));
}

TEST(StatelessPromise, IsKeptWhereWhatIsRememberedDecidesNothing) {
    NEEDS_TOOL("python3");
    const Searched searched(kLiar + " --never", pairs(2, 1));
    EXPECT_EQ("nothing", searched.found());
    EXPECT_EQ("", searched.result.diverged);
    EXPECT_TRUE(searched.result.complete);
}

}  // namespace
}  // namespace lockkeeper
