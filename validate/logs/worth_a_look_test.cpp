// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/worth_a_look.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "validate/logs/command.hpp"

namespace lockkeeper::logs {
namespace {

struct Explained {
    std::string text;
    std::size_t explained_most = 0;  // as the progress said
    std::size_t lines = 0;
    std::size_t calls = 0;
};

Explained explained(const std::string& log, const std::string& model,
                    std::optional<std::uint32_t> lost_max) {
    const std::string path = testing::TempDir() + "differences.log";
    std::ofstream(path) << log;
    Asked asked;
    asked.logs = {path};
    asked.model = model;
    asked.lost_max = lost_max;
    Explained result;
    asked.on_progress = [&](std::size_t done, std::size_t lines, std::uint64_t) {
        result.explained_most = std::max(result.explained_most, done);
        result.lines = lines;
        ++result.calls;
    };
    std::ostringstream out;
    run_command(asked, out);
    result.text = out.str();
    return result;
}

TEST(Differences, OfTwoRunsTheAnswerSaysWhatOnlyOneOfThemHas) {
    const Explained told = explained("1.000 a acquired\n5.000 a wrote ledger\n", "lease:ttl=1s", 0);
    EXPECT_NE(
        told.text.find("  the runs differ: only in the first a acts without the lock (5.000.."),
        std::string::npos)
        << told.text;
    EXPECT_NE(told.text.find("; only in this one a's renew is carried out (1.000 or later)"),
              std::string::npos)
        << told.text;
}

TEST(Differences, OneRunDiffersFromNone) {
    const Explained told = explained("1.0 a acquired\n2.0 a released\n", "mutex", 0);
    EXPECT_EQ(told.text.find("the runs differ"), std::string::npos) << told.text;
}

// Eight callers hold one lock at once, round after round: four missing lines may explain it, so
// that it is searched for a while.
TEST(Progress, ALongSearchTellsTheLinesThatItHasExplained) {
    std::string log;
    for (int round = 0; round < 6; ++round) {
        for (const char* word : {"0.0 trying", "5.0 acquired", "6.0 releasing", "7.0 released"}) {
            const std::string text = word;
            for (int caller = 0; caller < 8; ++caller) {
                log += std::to_string(round) + text.substr(0, 3) + " w" + std::to_string(caller) +
                       text.substr(3) + "\n";
            }
        }
    }
    const Explained told = explained(log, "owner-aware-mutex", 4);
    EXPECT_GT(told.calls, 0U);
    EXPECT_GT(told.explained_most, 8U);
    EXPECT_LT(told.explained_most, told.lines);
    EXPECT_EQ(told.lines, 6U * 32U);
}

}  // namespace
}  // namespace lockkeeper::logs
