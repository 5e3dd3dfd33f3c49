// SPDX-License-Identifier: Apache-2.0

// RapidCheck with a number of cases of one's own, and numbers that use their whole range from the
// first case on (rc::gen::inRange begins with small ones).
#pragma once

#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockkeeper::testing_canal {

// from .. to, both included.
template <class Number>
[[nodiscard]] Number pick(Number from, Number to) {
    return *rc::gen::resize(rc::kNominalSize,
                            rc::gen::inRange<Number>(from, static_cast<Number>(to + 1)));
}
[[nodiscard]] inline bool one_time_in(int times) { return pick(1, times) == times; }

enum class Shrinks : bool { kNo, kYes };

template <class Property>
void expect_always(int cases, Shrinks shrinks, Property property) {
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.maxSuccess = cases;
    params.disableShrinking = params.disableShrinking || shrinks == Shrinks::kNo;
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::string suite = test->test_suite_name();
    const auto result = rc::detail::checkTestable(
        property, rc::detail::TestMetadata{suite + "/" + test->name(), test->name()}, params);
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

}  // namespace lockkeeper::testing_canal
