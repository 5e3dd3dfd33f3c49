// SPDX-License-Identifier: Apache-2.0

// Scripts that wait for each other, from a file to what is printed.
#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// A holds the only unit until B was refused.
std::string scripts(const std::string& key_of_b = "db") {
    return R"("callers": [
        {"script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 1}},
                    {"signal": {"name": "held"}},
                    {"wait": {"name": "tried"}},
                    {"release": {"key": "db"}}]},
        {"script": [{"wait": {"name": "held"}},
                    {"acquire": {"key": ")" +
           key_of_b + R"(", "max_per": 1, "buckets": 1}},
                    {"if_holding": {"key": ")" +
           key_of_b + R"(", "then": [{"release": {"key": ")" + key_of_b + R"("}}]}},
                    {"signal": {"name": "tried"}}]}])";
}

std::string scenario(const std::string& members, const std::string& system = "canal") {
    return R"({"version": 1, "system": ")" + system + R"(", )" + members + "}";
}

class Signals : public WithFiles {};

TEST_F(Signals, KeepOneCallerFromAskingBeforeTheOther) {
    const std::string file = write("a.json", scenario(scripts() + R"(, "reach": ["full"])"));
    const Ran ran = run({"explore", file});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: passed\n")) << ran.out;
}

TEST_F(Signals, AreStepsOfATraceWithWhatTheyCountAfterwards) {
    const std::string file =
        write("a.json", scenario(scripts() + R"(, "order": ["A", "A", "B", "B", "B", "A", "A"])"));
    const Ran ran = run({"replay", file, "--format", "json"});
    EXPECT_TRUE(contains(ran.out, R"("A signal held")")) << ran.out;
    EXPECT_TRUE(contains(ran.out, R"("B wait for held")")) << ran.out;
    EXPECT_TRUE(contains(ran.out, R"("-> 1")")) << ran.out;
}

TEST_F(Signals, HaveNoEntryAmongTheResults) {
    const std::string order = R"(, "order": ["A", "A", "B", "B", "B", "A", "A"], "expect": )";
    const std::string right = scenario(scripts() + order + R"({"results":
        {"A": [1, "ok"], "B": ["full"]}})");
    EXPECT_EQ(kExitPassed, run({"run", write("right.json", right)}).exit_code);
    const std::string wrong = scenario(scripts() + order + R"({"results":
        {"A": [1, "ok", "ok"], "B": ["full"]}})");
    const Ran ran = run({"run", write("wrong.json", wrong)});
    EXPECT_TRUE(contains(ran.out, "/expect/results/A/2: expected ok, actual no further call"))
        << ran.out;
}

TEST_F(Signals, AreWaitedForInVainByATurnThatComesTooEarly) {
    const std::string too_early = scenario(
        scripts() + R"(, "order": ["B", "A"], "expect": {"results": {"A": [1], "B": []}})");
    const Ran ran = run({"run", write("a.json", too_early)});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out;
}

TEST_F(Signals, ThatNeverComeAreADeadlock) {
    const std::string file = write("a.json", scenario(R"("check": ["deadlock"], "callers": [
        {"script": [{"wait": {"name": "a"}}, {"signal": {"name": "b"}}]},
        {"script": [{"wait": {"name": "b"}}, {"signal": {"name": "a"}}]}])"));
    const Ran ran = run({"explore", file});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P13 deadlock in 0 steps\n")) << ran.out;
}

TEST_F(Signals, ThatCountTooFarEndTheRunWithTheirName) {
    const std::string file = write("a.json", scenario(R"("callers": [
        {"script": [{"signal": {"name": "a"}, "times": 200}], "repeat": "forever"},
        {"script": [{"wait": {"name": "a", "keep": true}}]}])"));
    const Ran ran = run({"explore", file});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "the signal a counts more than 255")) << ran.out;
}

TEST_F(Signals, InAScopeThatFitsNoSizeWithSignalsAreRefusedWithTheLimits) {
    expect_one_line(run({"explore", write("keys.json", scenario(scripts("cache")))}),
                    "does not fit the compiled sizes: tiny (keys 2 of at most 1, signals 2 of at "
                    "most 0); small (keys 2 of at most 1, signals 2 of at most 0); keys (signals 2 "
                    "of at most 0); crowd (keys 2 of at most 1); ");
    expect_one_line(run({"explore", write("other.json", scenario(scripts(), "single_counter"))}),
                    "does not fit the compiled size: signals 2 of at most 0");
    EXPECT_TRUE(contains(run({"list"}).out, "following resizes), 16 signals"));
}

// Refused or not, a worker holds one lock at most: what is not run releases nothing that is held.
TEST_F(Signals, DoNotMakeAScriptLookAsIfItGatheredLocks) {
    const std::string file = write("a.json", scenario(R"("check": ["leak"], "callers": [
        {"repeat": 40, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}},
            {"if_holding": {"key": "db", "then": [{"release": {"key": "db"}}]}}]}])"));
    EXPECT_EQ(kExitPassed, run({"explore", file}).exit_code);
}

}  // namespace
}  // namespace lockkeeper
