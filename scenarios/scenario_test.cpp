// SPDX-License-Identifier: Apache-2.0

// The meaning of documents. How they are refused: refusal_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/json.hpp"
#include "scenarios/scenario_test_support.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;
using ::testing::ElementsAre;

const std::string kOne = "[" + std::string(kTake) + "]";

TEST(Scenario, DefaultsAreThoseOfTheDocumentation) {
    const Scenario scenario = accepted(with_script(kOne));
    EXPECT_EQ(scenario.file, "x.json");
    EXPECT_EQ(scenario.variant, "faithful");
    EXPECT_EQ(scenario.parameters.manager_max_per, 3);
    EXPECT_EQ(scenario.parameters.max_decr_tries, 15);
    EXPECT_TRUE(scenario.parameters.has_manager && scenario.parameters.returns_count);
    EXPECT_FALSE(scenario.parameters.repairs.has_value());
    EXPECT_TRUE(scenario.parameters.tables.empty());
    EXPECT_THAT(scenario.check, ElementsAre("all"));
    EXPECT_EQ(scenario.method, Method::kExplore);
    EXPECT_TRUE(scenario.symmetry);
    EXPECT_FALSE(scenario.stop_at_first);
    EXPECT_EQ(scenario.seed, 1U);
    EXPECT_TRUE(is<Passed>(scenario.expect.verdict));
    EXPECT_THAT(scenario.world.keys, ElementsAre("db"));
    EXPECT_THAT(scenario.world.views, ElementsAre(1));
    ASSERT_EQ(scenario.world.callers.size(), 1U);
    EXPECT_EQ(scenario.world.callers[0].name, "A");
    EXPECT_TRUE(scenario.world.callers[0].may_crash);
    EXPECT_FALSE(scenario.world.callers[0].repeats_forever);
    EXPECT_FALSE(scenario.world.watches_others);
}

TEST(Scenario, AnAcquireHasOtherKeysAndAWeight) {
    const Scenario scenario = accepted(with_script(R"([
        {"acquire": {"key": "b", "max_per": 5, "with": ["a", "c"], "weight": 3}},
        {"release": {"key": "b"}}])"));
    EXPECT_THAT(scenario.world.keys, ElementsAre("b", "a", "c"));
    const auto& script = scenario.world.callers.at(0).script;
    EXPECT_EQ(script.at(0), (Operation{.place_capacity = 5, .signal = 7, .amount = 3}));
    EXPECT_EQ(script.at(1), (Operation{.verb = Verb::kRelease, .place_capacity = 5}));
    const auto document = nlohmann::json::parse(to_json_text(scenario));
    const auto& written = document["callers"][0]["script"][0]["acquire"];
    EXPECT_EQ(written["with"], (nlohmann::json{"a", "c"})) << written;
    EXPECT_EQ(written["weight"], 3) << written;
}

TEST(Scenario, AReleaseMayNameEachKeyOfItsAcquire) {
    const Scenario scenario = accepted(with_script(R"([
        {"acquire": {"key": "b", "max_per": 5, "with": ["a"]}},
        {"release": {"key": "a"}}])"));
    EXPECT_EQ(scenario.world.callers.at(0).script.at(1),
              (Operation{.verb = Verb::kRelease, .key = 1, .place_capacity = 5}));
}

TEST(Scenario, AReleaseRepeatsTheLatestAcquireOfItsKey) {
    const Scenario scenario = accepted(with_script(R"([
        {"acquire": {"key": "a", "max_per": 3, "buckets": 1}},
        {"acquire": {"key": "b", "max_per": 5, "buckets": 7}},
        {"release": {"key": "a"}},
        {"acquire": {"key": "a", "max_per": 4, "buckets": 2}},
        {"release": {"key": "a", "buckets": 9}},
        {"release": {"key": "b"}}])"));
    const auto& script = scenario.world.callers.at(0).script;
    ASSERT_EQ(script.size(), 6U);
    EXPECT_EQ(script[2],
              (Operation{.verb = Verb::kRelease, .key = 0, .place_capacity = 3, .places = 1}));
    EXPECT_EQ(script[4],
              (Operation{.verb = Verb::kRelease, .key = 0, .place_capacity = 4, .places = 9}));
    EXPECT_EQ(script[5],
              (Operation{.verb = Verb::kRelease, .key = 1, .place_capacity = 5, .places = 7}));
    EXPECT_EQ(scenario.parameters.manager_max_per, 5);
}

TEST(Scenario, DefaultsOfAReleaseAreThoseOfTheScriptWrittenOut) {
    const Scenario scenario = accepted(with_script(R"([
        {"acquire": {"key": "a", "max_per": 3, "buckets": 1}},
        {"repeat": [{"release": {"key": "a"}},
                    {"acquire": {"key": "a", "max_per": 4, "buckets": 2}}], "times": 2}])"));
    const auto& script = scenario.world.callers.at(0).script;
    ASSERT_EQ(script.size(), 5U);
    EXPECT_EQ(script[1].place_capacity, 3);
    EXPECT_EQ(script[3].place_capacity, 4);
}

TEST(Scenario, RepetitionsAreWrittenOut) {
    const Scenario scenario = accepted(
        R"({"version": 1, "system": "canal", "callers": [{"repeat": 2, "script": [
            {"repeat": [{"acquire": {"key": "a", "max_per": 1, "buckets": 1}, "times": 2},
                        {"release": {"key": "a"}}], "times": 3}]}]})");
    EXPECT_EQ(scenario.world.callers.at(0).script.size(), 2U * 3U * 3U);
}

TEST(Scenario, ACountMakesInterchangeableCallersAndEqualEntriesDoNot) {
    const std::string script = R"("script": )" + kOne;
    const Scenario scenario = accepted(
        R"({"version": 1, "system": "canal", "callers": [{"name": "w", "count": 2, )" + script +
        "}, {" + script + "}, {" + R"("may_crash": false, "repeat": "forever", )" + script + "}]}");
    const auto& callers = scenario.world.callers;
    ASSERT_EQ(callers.size(), 4U);
    EXPECT_EQ(callers[0].name + callers[1].name + callers[2].name + callers[3].name, "w1w2BC");
    EXPECT_EQ(callers[0].group, callers[1].group);
    EXPECT_NE(callers[1].group, callers[2].group);
    EXPECT_NE(callers[2].group, callers[3].group);
    EXPECT_TRUE(callers[3].repeats_forever);
    EXPECT_FALSE(callers[3].may_crash);
}

TEST(Scenario, CurrentBucketsFollowTheResizes) {
    const Scenario scenario = accepted(with_script(
        R"([{"acquire": {"key": "a", "max_per": 1, "buckets": "current"}},
            {"release": {"key": "a"}}])",
        R"(, "view": 1, "resizes": [2, 3])"));
    EXPECT_THAT(scenario.world.views, ElementsAre(1, 2, 3));
    for (const Operation& operation : scenario.world.callers.at(0).script) {
        EXPECT_TRUE(operation.follows_resizes);
    }
}

TEST(Scenario, TablesAreColdOrWarmOrGivenByKey) {
    const auto tables = [](const std::string& table) {
        return accepted(with_script(kOne, R"(, "parameters": {"table": )" + table + "}"))
            .parameters.tables;
    };
    EXPECT_TRUE(tables(R"("cold")").empty());
    EXPECT_TRUE(tables(R"({"db": "cold"})").empty());
    EXPECT_THAT(tables(R"({"warm": 2})").at("db").buckets, ElementsAre(0, 0));
    EXPECT_EQ(tables(R"({"warm": 2})").at("db").highest, 2);
    EXPECT_EQ(tables(R"({"db": {"warm": 3}})").at("db").buckets.size(), 3U);
    const auto given = tables(R"({"db": {"buckets": [4, -1]}})").at("db");
    EXPECT_THAT(given.buckets, ElementsAre(4, -1));
    EXPECT_FALSE(given.highest.has_value());
}

TEST(Scenario, AnOrderOrAScheduleChoosesItsMethod) {
    const Scenario ordered =
        accepted(with_script("[{\"repeat\": " + kOne + ", \"times\": 4}]",
                             R"(, "order": ["A", {"caller": "A", "times": 3}])"));
    EXPECT_EQ(ordered.method, Method::kOrder);
    EXPECT_THAT(ordered.order, ElementsAre("A", "A", "A", "A"));
    const Scenario replayed = accepted(with_script(kOne, R"(, "schedule": "lk1:7:s0*3,r")"));
    EXPECT_EQ(replayed.method, Method::kReplay);
    ASSERT_TRUE(replayed.schedule.has_value());
    EXPECT_EQ(replayed.schedule->actions.size(), 4U);
}

TEST(Scenario, ExpectedResultsMayBeCountedOrRepeated) {
    using Kind = ExpectedResult::Kind;
    const Scenario scenario = accepted(with_script(kOne, R"(, "order": ["A"], "expect":
        {"results": {"A": [3, "acquired", "died", {"result": "full", "times": 2}, "ok"]}})"));
    const auto& results = scenario.expect.results.at("A");
    EXPECT_THAT(results,
                ElementsAre(ExpectedResult{Kind::kCount, 3}, ExpectedResult{Kind::kAcquired, 0},
                            ExpectedResult{Kind::kDied, 0}, ExpectedResult{Kind::kFull, 0},
                            ExpectedResult{Kind::kFull, 0}, ExpectedResult{Kind::kReleased, 0}));
}

TEST(Scenario, KeysMayBeGivenInAnotherOrderThanThatOfTheirUse) {
    const Scenario scenario = accepted(with_script(kOne, R"(, "keys": ["x", "db"])"));
    EXPECT_THAT(scenario.world.keys, ElementsAre("x", "db"));
    EXPECT_EQ(scenario.world.callers.at(0).script.at(0).key, 1);
}

TEST(Scenario, WrittenOutItIsShortAndReadsAsAPersonWouldWriteIt) {
    const Scenario scenario = accepted(
        R"({"version": 1, "system": "canal", "callers": [{"name": "w", "count": 2, "repeat": 5,
            "script": [{"acquire": {"key": "db", "max_per": 3, "buckets": 1}, "times": 40},
                       {"release": {"key": "db"}, "times": 40}]}]})");
    const std::string text = to_json_text(scenario);
    EXPECT_NE(text.find(R"("count": 2)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("repeat": 5)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"({"acquire": {"key": "db", "max_per": 3, "buckets": 1}, "times": 40})"),
              std::string::npos)
        << text;
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 30) << text;
}

TEST(Scenario, SignalsAreNumberedInTheOrderOfTheirUse) {
    const Scenario scenario = accepted(with_script(R"([
        {"wait": {"name": "b", "amount": 4, "keep": true}},
        {"signal": {"name": "a"}, "times": 2},
        {"wait": {"name": "a"}},
        {"signal": {"name": "b", "amount": 255}}])"));
    EXPECT_THAT(scenario.world.signals, ElementsAre("b", "a"));
    EXPECT_THAT(scenario.world.callers.at(0).script,
                ElementsAre(Operation{.verb = Verb::kWait, .amount = 4, .keep = true},
                            Operation{.verb = Verb::kSignal, .signal = 1},
                            Operation{.verb = Verb::kSignal, .signal = 1},
                            Operation{.verb = Verb::kWait, .signal = 1},
                            Operation{.verb = Verb::kSignal, .amount = 255}));
}

const std::string kConditional = R"([
    {"acquire": {"key": "db", "max_per": 3, "buckets": 2}},
    {"if_holding": {"key": "db", "then": [
        {"repeat": [{"signal": {"name": "go"}}, {"wait": {"name": "go"}}], "times": 2},
        {"if_holding": {"key": "db", "then": [{"release": {"key": "db"}}, {"exit": {}}]},
         "times": 2},
        {"signal": {"name": "go"}}]}},
    {"wait": {"name": "go"}}])";

TEST(Scenario, AConditionGovernsItsOperationsWrittenOut) {
    const Scenario scenario = accepted(with_script(kConditional));
    const auto& script = scenario.world.callers.at(0).script;
    ASSERT_EQ(script.size(), 14U);
    EXPECT_EQ(script[1], (Operation{.verb = Verb::kIfHolding, .governs = 11}));
    EXPECT_EQ(script[6], (Operation{.verb = Verb::kIfHolding, .governs = 2}));
    EXPECT_EQ(script[9], script[6]);
    EXPECT_EQ(script[7], (Operation{.verb = Verb::kRelease, .place_capacity = 3, .places = 2}));
    EXPECT_EQ(script[8].verb, Verb::kExit) << "what follows runs when it was passed over";
    EXPECT_EQ(script[12].verb, Verb::kSignal);
}

TEST(Scenario, ConditionsAreWrittenWithWhatTheyGovern) {
    const Scenario scenario = accepted(with_script(kConditional));
    const std::string text = to_json_text(scenario);
    EXPECT_TRUE(same(scenario, accepted(text))) << text;
    const auto written = nlohmann::json::parse(text)["callers"][0]["script"];
    ASSERT_EQ(written.size(), 3U) << text;
    EXPECT_EQ(written[1]["if_holding"]["then"].size(), 3U) << text;
    EXPECT_EQ(written[1]["if_holding"]["then"][1]["times"], 2) << text;
}

// Two conditions in a row after one of their operations: [a, if {a}, if {a}] is no [a, if] twice.
TEST(Scenario, ARepetitionThatIsWrittenNeverEndsInsideOfACondition) {
    const Scenario scenario = accepted(with_script(R"([
        {"acquire": {"key": "db", "max_per": 3, "buckets": 1}},
        {"repeat": [{"if_holding": {"key": "db", "then": [
            {"acquire": {"key": "db", "max_per": 3, "buckets": 1}}]}}], "times": 2}])"));
    const std::string text = to_json_text(scenario);
    EXPECT_TRUE(same(scenario, accepted(text))) << text;
    const auto written = nlohmann::json::parse(text)["callers"][0]["script"];
    ASSERT_EQ(written.size(), 2U) << text;
    EXPECT_EQ(written[1]["times"], 2) << text;
}

TEST(Scenario, ConditionsInsideOfEachOtherReadBackAsDeepAsTheyMayBe) {
    std::string script = R"([{"acquire": {"key": "db", "max_per": 3, "buckets": 1}},
        {"signal": {"name": "a"}}, {"wait": {"name": "a"}}])";
    for (std::size_t i = 0; i < kConditionsMax; ++i) {
        const std::string condition =
            fmt::format(R"({{"if_holding": {{"key": "db", "then": {}}}}})", script);
        script = fmt::format(
            R"([{0}, {{"signal": {{"name": "a"}}}}, {0}, {{"signal": {{"name": "a"}}}}])",
            condition);
    }
    const Scenario scenario = accepted(with_script(script));
    const std::string text = to_json_text(scenario);
    EXPECT_TRUE(same(scenario, accepted(text)));
}

TEST(Scenario, WhatItsMethodDoesNotUseIsNotWritten) {
    Scenario scenario = accepted(with_script(kOne, R"(, "order": ["A"], "expect":
        {"counters": {"db": [1]}, "results": {"A": [1]}})"));
    scenario.method = Method::kReplay;
    scenario.schedule = Schedule{};
    const Scenario replayed = accepted(to_json_text(scenario));
    EXPECT_TRUE(replayed.order.empty());
    scenario.method = Method::kExplore;
    const Scenario explored = accepted(to_json_text(scenario));
    EXPECT_TRUE(explored.expect.counters.empty());
    EXPECT_FALSE(explored.schedule.has_value());
}

}  // namespace
}  // namespace lockkeeper
