// SPDX-License-Identifier: Apache-2.0

// The search for a boundary, from the command line and from a file: of numbers, of settings of one
// caller, and of promises that only the search asks for.
#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// Two clients of one document; the clock of `fast` is 3 ahead, and it has a time-out of its own.
class FindBoundary : public WithFiles {
  protected:
    [[nodiscard]] std::string contenders(const std::string& more = "") const {
        const std::string script = R"([{"acquire": {"key": "doc", "until": "acquired"}},
            {"call": {"what": "write", "key": "doc"}}, {"release": {"key": "doc"}}])";
        return write("a.json", R"({"version": 1, "system": "monglock_write", "variant": "repaired",
            "parameters": {"locktimeout": 20, "pause": 2, "grace": 6},
            "callers": [{"name": "fast", "settings": {"clock": 3}, "script": )" +
                                   script + R"(}, {"name": "client", "script": )" + script + "}]" +
                                   more + "}");
    }
};

TEST_F(FindBoundary, FindsTheSmallestSettingOfOneCaller) {
    const Ran ran =
        run({"explore", contenders(), "--find-smallest", "settings:locktimeout:fast=17..24"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "the smallest settings:locktimeout:fast is 20")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "--set settings:locktimeout:fast=19")) << ran.out;
}

TEST_F(FindBoundary, ASettingThatNobodyHasIsRefusedWithThePlaceThatNamesIt) {
    const Ran flag =
        run({"explore", contenders(), "--find-smallest", "settings:locktimeout:slow=1..40"});
    EXPECT_EQ(kExitUsage, flag.exit_code);
    expect_one_line(flag, "did you mean \"settings:locktimeout:fast\"?");
    const Ran file = run({"explore", contenders(R"(, "find": {"smallest": "settings:clok:fast",
        "from": 1, "to": 2})")});
    EXPECT_EQ(kExitInput, file.exit_code);
    expect_one_line(file, "/find: ");
}

// A grace as long as the time-to-live is refused, and a range may reach beyond the ends of what a
// number can be.
TEST_F(FindBoundary, PassesOverValuesThatTheScenarioRefuses) {
    const std::string file = write("c.json", R"({"version": 1, "system": "lease_coordinator",
        "variant": "repaired", "parameters": {"ttl": 60, "until": 100},
        "callers": [{"name": "A", "script": [{"acquire": {"key": "lease"}}]}],
        "check": ["deadlock"]})");
    const Ran largest = run({"explore", file, "--find-largest", "grace=40..80"});
    EXPECT_EQ(kExitPassed, largest.exit_code) << largest.out << largest.err;
    EXPECT_TRUE(contains(largest.out, "the largest grace is 59")) << largest.out;
    EXPECT_TRUE(contains(largest.out, "grace 60 to 80 refused: ")) << largest.out;
    const Ran smallest = run({"explore", file, "--find-smallest", "grace=58..70"});
    EXPECT_TRUE(contains(smallest.out, "the smallest grace is 58")) << smallest.out;
    const Ran none = run({"explore", file, "--find-largest", "grace=60..80"});
    EXPECT_EQ(kExitUsage, none.exit_code) << none.out << none.err;
    expect_one_line(none, "less than the ttl");
}

TEST_F(FindBoundary, SetTakesSettingsAndBudgetsToo) {
    const Ran ran = run({"explore", contenders(), "--set", "settings:locktimeout:fast=5"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out;
    EXPECT_EQ(kExitUsage,
              run({"explore", contenders(), "--set", "settings:locktimeout:fast=-1"}).exit_code);
    EXPECT_EQ(kExitPassed, run({"explore", contenders(), "--set", "settings:locktimeout:fast=20",
                                "--set", "faults:not_applied=1"})
                               .exit_code);
}

// A renewal that is lost, and renewals that are too seldom: then the lease is, too.
TEST_F(FindBoundary, AGoalCanBeWhatMustNotHappen) {
    const std::string file = write("b.json", R"({"version": 1, "system": "lease_coordinator",
        "variant": "repaired", "parameters": {"ttl": 60, "until": 200, "module": 1, "grace": 4,
            "delay": 2, "pause": 1},
        "callers": [{"name": "M", "script": [{"acquire": {"key": "module"}}]}],
        "check": ["never:lost"]})");
    EXPECT_EQ(kExitPassed, run({"run", file}).exit_code);
    const Ran ran = run({"explore", file, "--set", "faults:lost_requests=1", "--set", "renew=23"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "P111 never:lost")) << ran.out;
}

}  // namespace
}  // namespace lockkeeper
