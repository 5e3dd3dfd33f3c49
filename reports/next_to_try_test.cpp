// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reports/texts.hpp"

namespace lockkeeper {
namespace {

TEST(NextToTry, IsTheFlagOfWhatEndedIt) {
    EXPECT_EQ("a larger --max-states", flag_beyond("states"));
    EXPECT_EQ("more --memory", flag_beyond("memory"));
    EXPECT_EQ("", flag_beyond("interrupted"));
    EXPECT_EQ("", flag_beyond(""));
    EXPECT_EQ("try next                more --memory; fuzz\n",
              next_text({flag_beyond("memory"), "fuzz"}));
    EXPECT_EQ("", next_text({}));
}

TEST(NextToTry, StandsUnderAHistoryThatCouldNotBeJudged) {
    RunReport report;
    JudgedHistory judged;
    const auto has_line = [&] {
        return history_body_text(report, judged, false)
                   .find("\ntry next                more --memory\n") != std::string::npos;
    };
    judged.check.limit = "memory";
    report.verdict = Inconclusive{"memory"};
    EXPECT_TRUE(has_line()) << history_body_text(report, judged, false);
    report.verdict = Passed{};
    EXPECT_FALSE(has_line());
}

}  // namespace
}  // namespace lockkeeper
