// SPDX-License-Identifier: Apache-2.0

// Smaller scenarios behind a violation: how small, that they are what a file would say, and how
// `fuzz` reports them.
#include "scenarios/registry/shrink_scenario.hpp"

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scenarios/schema_check_test.hpp"
#include "work/make_report.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// A caller that dies before it has told the manager of its unit leaks it: one caller, two steps.
constexpr const char* kCrowd = R"({"version": 1, "about": "A crowd.", "system": "canal",
    "parameters": {"table": {"warm": 3}}, "view": 3, "resizes": [2, 3],
    "callers": [{"name": "web", "count": 3, "repeat": "forever", "script": [
                    {"acquire": {"key": "db", "max_per": 3, "buckets": "current"}},
                    {"release": {"key": "db"}}]},
                {"name": "batch", "count": 2, "script": [
                    {"acquire": {"key": "db", "max_per": 3, "buckets": 3}, "times": 2},
                    {"release": {"key": "db"}, "times": 2}]}],
    "faults": {"crashes": 3}, "check": ["leak", "over-allocation"], "reach": ["acquired"],
    "method": "fuzz", "limits": {"schedules": 2000},
    "expect": {"verdict": "violated", "properties": ["leak"]}})";

const Registry& all_systems() {
    static const Registry kRegistry = shipped_systems();
    return kRegistry;
}

Scenario scenario_in(const std::string& text) {
    auto parsed = parse_scenario(text, "crowd.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        throw std::runtime_error(error->text());
    }
    return std::get<Scenario>(std::move(parsed));
}

std::optional<SmallerScope> smaller_leak(const Scenario& scenario, std::size_t steps_max = 30) {
    return shrink_scenario(all_systems(), scenario, *find_property("leak"), steps_max);
}

Trace judged(const Runner& runner, const FoundViolation& violation) {
    ReplayOptions options;
    options.check = {violation.property};
    return runner.replay(violation.schedule, options);
}

Finding shown(const SmallerScope& smaller) {
    Finding finding;
    finding.property = smaller.violation.property;
    finding.schedule = smaller.violation.schedule;
    finding.trace = judged(*smaller.runner, smaller.violation);
    return finding;
}

class ShrinkScenario : public WithFiles {};

TEST_F(ShrinkScenario, ACrowdWhoseLeakNeedsOneCallerAndOneCrashShrinksToThem) {
    const auto smaller = smaller_leak(scenario_in(kCrowd));
    ASSERT_TRUE(smaller);
    EXPECT_EQ("1 caller, 1 key, max_per 1, buckets 1, crashes 1",
              scope_text(smaller->runner->world()));
    EXPECT_EQ(1U, smaller->scenario.world.callers.front().script.size());
    EXPECT_EQ(1, smaller->scenario.parameters.manager_max_per);
    EXPECT_EQ(2U, smaller->violation.schedule.actions.size());
}

TEST_F(ShrinkScenario, ItsTraceReplaysFromItsFile) {
    const auto smaller = smaller_leak(scenario_in(kCrowd));
    ASSERT_TRUE(smaller);
    const Ran ran = run({"replay", write_trace(path(""), smaller->scenario, shown(*smaller), {})});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P2 leak in 2 steps\n")) << ran.out;
}

TEST_F(ShrinkScenario, WhatComesOutFailsStillWhenItIsReadBack) {
    const auto smaller = smaller_leak(scenario_in(kCrowd));
    ASSERT_TRUE(smaller);
    const std::string text = to_json_text(smaller->scenario);
    const Scenario again = scenario_in(text);
    EXPECT_EQ(text, to_json_text(again));
    const MadeRunner made = all_systems().make(again);
    const auto* runner = std::get_if<std::unique_ptr<Runner>>(&made);
    ASSERT_NE(nullptr, runner);
    const std::vector<const Property*> leak{find_property("leak")};
    EXPECT_EQ(leak, judged(**runner, smaller->violation).violated);
}

TEST_F(ShrinkScenario, TheSameScenarioShrinksToTheSame) {
    const auto once = smaller_leak(scenario_in(kCrowd));
    const auto again = smaller_leak(scenario_in(kCrowd));
    ASSERT_TRUE(once && again);
    EXPECT_EQ(to_json_text(once->scenario), to_json_text(again->scenario));
    EXPECT_EQ(to_line(once->violation.schedule), to_line(again->violation.schedule));
}

TEST_F(ShrinkScenario, NothingIsSmallerThanOneCallerOneCrashAndOneOperation) {
    const auto smaller = smaller_leak(scenario_in(kCrowd));
    ASSERT_TRUE(smaller);
    EXPECT_FALSE(smaller_leak(smaller->scenario));
}

// Without crashes the leak of two callers takes 22 steps, and no fewer.
TEST_F(ShrinkScenario, NeverTakesMoreSteps) {
    Scenario scenario = scenario_in(read_whole(write_pair("three.json", R"("check": ["leak"], )")));
    scenario.world.callers.push_back(scenario.world.callers.back());
    scenario.world.callers.back().name = "A3";
    const auto smaller = smaller_leak(scenario, 22);
    ASSERT_TRUE(smaller);
    EXPECT_EQ(2U, smaller->scenario.world.callers.size());
    EXPECT_LE(smaller->violation.schedule.actions.size(), 22U);
    EXPECT_FALSE(smaller_leak(scenario, smaller->violation.schedule.actions.size() - 1));
}

TEST_F(ShrinkScenario, FuzzNamesItAndWritesItsTrace) {
    const std::string file = write("crowd.json", kCrowd);
    const Ran said = run({"fuzz", file, "--check", "leak"});
    EXPECT_EQ(kExitViolated, said.exit_code) << said.err;
    EXPECT_TRUE(
        contains(said.out,
                 "\nsmaller: 1 caller, 1 key, max_per 1, buckets 1, crashes 1, "
                 "manager_max_per 1, max_decr_tries 15, warm, 1 operation shows it in 2 steps "
                 "(--out DIR writes it as a trace)\n"))
        << said.out;
    const Ran ran = run({"fuzz", file, "--check", "leak", "--out", path("out")});
    const std::string before = "shows it in 2 steps\n         lockkeeper replay ";
    const std::size_t begin = ran.out.find(before) + before.size();
    ASSERT_TRUE(contains(ran.out, before)) << ran.out;
    const std::string trace = ran.out.substr(begin, ran.out.find('\n', begin) - begin);
    EXPECT_TRUE(contains(ran.out, "\nwritten: " + trace + "\n"));
    EXPECT_FALSE(contains(ran.out, "\nreplay: lockkeeper replay " + trace + "\n"));
    EXPECT_EQ(kExitViolated, run({"replay", trace}).exit_code);
    const Ran again = run({"fuzz", file, "--check", "leak", "--out", path("out")});
    EXPECT_TRUE(contains(again.out, "found by corpus")) << again.out;
    EXPECT_EQ("", again.err);
}

// Its own numbers are those that the file gives: nothing needs the others.
TEST_F(ShrinkScenario, FuzzNamesThatOfASystemWithAnEndOfTime) {
    const Ran ran =
        run({"fuzz", LOCKKEEPER_SOURCE_DIR "/scenarios/monglock/broken/cleans_nothing.json"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "time up to 64000\n")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "\nsmaller: 1 caller, ")) << ran.out;
}

TEST_F(ShrinkScenario, TheJsonReportHasIt) {
    const std::string file = write("crowd.json", kCrowd);
    const Ran ran = run({"fuzz", file, "--check", "leak", "--format", "json"});
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "result.schema.json"));
    const auto smaller = nlohmann::json::parse(ran.out)["violations"][0]["smaller"];
    EXPECT_EQ(2, smaller["steps"]) << ran.out;
    EXPECT_TRUE(smaller["trace_file"].is_null());
    const Ran smallest =
        run({"explore", write_pair("a.json", R"("check": ["leak"], )"), "--format", "json"});
    EXPECT_TRUE(nlohmann::json::parse(smallest.out)["violations"][0]["smaller"].is_null());
}

}  // namespace
}  // namespace lockkeeper
