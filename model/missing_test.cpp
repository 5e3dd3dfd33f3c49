// SPDX-License-Identifier: Apache-2.0
#include "model/missing_test.hpp"

#include <optional>

#include <gtest/gtest-spi.h>

namespace lockkeeper {
namespace {

using Kind = testing::TestPartResult::Type;

void needs(const char* tool) { NEEDS_TOOL(tool); }

// How a test of this body would end, with CI of this value; nothing: it goes on.
std::optional<Kind> end_of(void (*body)(), const char* ci) {
    const char* before = std::getenv("CI");
    const std::optional<std::string> kept =
        before == nullptr ? std::nullopt : std::optional<std::string>(before);
    ci == nullptr ? unsetenv("CI") : setenv("CI", ci, 1);
    testing::TestPartResultArray results;
    {
        const testing::ScopedFakeTestPartResultReporter reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
        body();
    }
    kept ? setenv("CI", kept->c_str(), 1) : unsetenv("CI");
    return results.size() == 0 ? std::nullopt : std::optional(results.GetTestPartResult(0).type());
}

TEST(Missing, WhatIsMissingIsSkippedAndFailsInCi) {
    const auto lacking = [] { needs("lockkeeper-no-such-tool"); };
    EXPECT_EQ(Kind::kSkip, end_of(lacking, nullptr));
    EXPECT_EQ(Kind::kSkip, end_of(lacking, ""));
    EXPECT_EQ(Kind::kFatalFailure, end_of(lacking, "1"));
    EXPECT_EQ(Kind::kFatalFailure, end_of(lacking, "true"));
    EXPECT_EQ(std::nullopt, end_of([] { needs("sh"); }, "1"));
}

}  // namespace
}  // namespace lockkeeper
