// SPDX-License-Identifier: Apache-2.0

// `explore --disk DIR`: the report is that of a search in memory, DIR is empty afterwards or has
// what --resume needs, and what does not go together is refused before the work.
#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

class DiskFlag : public WithFiles {
  protected:
    [[nodiscard]] static std::string scope() {
        return std::string(LOCKKEEPER_SOURCE_DIR) + "/bench/compare/scopes/manager_4x2.json";
    }
    [[nodiscard]] std::vector<std::string> on_disk(
        const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"explore", scope(),  "--quiet",   "--memory",
                                           "4M",      "--disk", path("disk")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    // The figures that both kinds of search print.
    [[nodiscard]] static std::string figures_of(const Ran& ran) {
        std::string figures;
        std::istringstream lines(ran.out);
        for (std::string line; std::getline(lines, line);) {
            for (const char* figure :
                 {"distinct states", "transitions", "depth", "terminal", "complete", "verdict"}) {
                figures += line.starts_with(figure) ? line + "\n" : "";
            }
        }
        return figures;
    }
};

TEST_F(DiskFlag, TheReportIsThatOfASearchInMemory) {
    const Ran memory = run({"explore", scope(), "--quiet"});
    ASSERT_EQ(kExitPassed, memory.exit_code) << memory.err;
    const Ran disk = run(on_disk());
    EXPECT_EQ(kExitPassed, disk.exit_code) << disk.err;
    EXPECT_EQ(figures_of(memory), figures_of(disk));
    EXPECT_TRUE(contains(disk.out, "250,062")) << disk.out;
    EXPECT_FALSE(contains(disk.out, "written")) << disk.out;
    EXPECT_TRUE(std::filesystem::is_empty(path("disk")));
}

TEST_F(DiskFlag, ALimitLeavesACheckpointInTheDirectory) {
    const std::string kept = path("disk") + "/checkpoint";
    const Ran part = run(on_disk({"--max-states", "150000"}));
    EXPECT_EQ(kExitInconclusive, part.exit_code);
    EXPECT_TRUE(contains(part.out, "written: " + kept)) << part.out;
    const Ran again = run(on_disk());
    EXPECT_EQ(kExitInput, again.exit_code);
    EXPECT_TRUE(contains(again.err, "a search is kept here")) << again.err;
    const Ran whole = run(on_disk({"--resume", kept}));
    EXPECT_EQ(kExitPassed, whole.exit_code) << whole.err;
    EXPECT_TRUE(contains(whole.out, "250,062")) << whole.out;
    EXPECT_TRUE(std::filesystem::is_empty(path("disk")));
}

TEST_F(DiskFlag, DoesNotGoWithWhatNeedsMemory) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"--frontier", "stack"}, "go with --frontier queue"},
        {{"--storage", "fingerprints"}, "--disk: goes with --storage exact"},
        {{"--reduction", "faults-left"}, "--disk: excludes --reduction faults-left"},
        {{"--checkpoint", path("kept")}, "--disk: excludes --checkpoint"},
        {{scope()}, "go with one scenario"},
    };
    for (const auto& [more, reason] : cases) {
        const Ran ran = run(on_disk(more));
        EXPECT_NE(kExitPassed, ran.exit_code);
        EXPECT_TRUE(contains(ran.err, reason)) << reason << "\n" << ran.err;
        EXPECT_FALSE(std::filesystem::exists(path("disk"))) << "before the work";
    }
}

}  // namespace
}  // namespace lockkeeper
