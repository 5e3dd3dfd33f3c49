// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/step_label.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

TEST(StepLabel, LeavesOutWhoActs) {
    EXPECT_EQ("acquire: read db", label_without_callers("A1 acquire: read db", {"A1", "A2"}));
    EXPECT_EQ("crashes", label_without_callers("A crashes", {"A"}));
}

TEST(StepLabel, KeepsThatSomebodyIsMeant) {
    EXPECT_EQ("manager: lock db of @",
              label_without_callers("manager: lock db of A2", {"A1", "A2"}));
}

TEST(StepLabel, TakesNoPartOfAWordForACaller) {
    EXPECT_EQ("acquire: read A1x db_A1",
              label_without_callers("B acquire: read A1x db_A1", {"A1", "B"}));
    EXPECT_EQ("", label_without_callers("", {"A"}));
}

}  // namespace
}  // namespace lockkeeper
