// SPDX-License-Identifier: Apache-2.0

// SARIF as code scanning shows it: rules, places, fingerprints that stay, runs as code flows.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "model/json.hpp"
#include "reports/sample_reports_test.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;
using Json = nlohmann::json;

Json sarif_of(const Results& results) {
    const Json log = Json::parse(in_format("sarif", results));
    EXPECT_EQ("2.1.0", log["version"]);
    return log["runs"][0];
}
Json sarif_of(std::vector<RunReport> reports) { return sarif_of(results_of(std::move(reports))); }

TEST(Sarif, AViolationHasItsPropertyForARuleAndItsPlaceInTheRepository) {
    const Json run = sarif_of({violated(), explored()});
    ASSERT_EQ(1U, run["results"].size());
    const Json& result = run["results"][0];
    EXPECT_EQ("P2", result["ruleId"]);
    EXPECT_EQ("error", result["level"]);
    const Json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()];
    EXPECT_EQ("P2", rule["id"]);
    EXPECT_EQ(find_property("leak")->definition, rule["fullDescription"]["text"]);
    const Json& place = result["locations"][0]["physicalLocation"];
    EXPECT_EQ("scenarios/canal/leak.json", place["artifactLocation"]["uri"]);
    EXPECT_EQ("%SRCROOT%", place["artifactLocation"]["uriBaseId"]);
    EXPECT_EQ(7, place["region"]["startLine"]);
}

TEST(Sarif, TheRunIsACodeFlowWithItsDecisiveSteps) {
    const Json flow =
        sarif_of({drawn()})["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    ASSERT_EQ(4U, flow.size());
    EXPECT_EQ("1. A update_counter db[1]", flow[0]["location"]["message"]["text"]);
    EXPECT_EQ("important", flow[0]["importance"]);
    EXPECT_EQ("essential", flow[2]["importance"]);
    EXPECT_EQ("essential", flow[3]["importance"]);
    EXPECT_EQ(4, flow[3]["executionOrder"]);
    EXPECT_EQ("db [1]", flow[3]["state"]["state"]["text"]);
}

// The first step of drawn() as one that the table of lines knows.
RunReport drawn_in(const std::string& root, std::uint8_t label) {
    RunReport report = drawn();
    report.place.root = root;
    Trace& trace = report.findings.front().trace;
    trace.names.steps = "impl/canal/canal_caller.hpp";
    trace.steps[0].words.doer = Doer::kCaller;
    trace.steps[0].act.label = label;
    return report;
}
Json place_of_step(const RunReport& report, std::size_t step) {
    return sarif_of({report})["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"][step]
                             ["location"]["physicalLocation"];
}

TEST(Sarif, AStepIsShownAtItsLineOfTheModel) {
    const RunReport report = drawn_in(LOCKKEEPER_SOURCE_DIR, 1);
    const Json place = place_of_step(report, 0);
    EXPECT_EQ("impl/canal/canal_caller.hpp", place["artifactLocation"]["uri"]);
    EXPECT_EQ("%SRCROOT%", place["artifactLocation"]["uriBaseId"]);
    // The source itself says whether the line is right.
    std::ifstream source(std::string(LOCKKEEPER_SOURCE_DIR) + "/impl/canal/canal_caller.hpp");
    std::string text;
    for (int line = 0; line < place["region"]["startLine"]; ++line) {
        std::getline(source, text);
    }
    EXPECT_TRUE(contains(text, "case At::kUpdateCounter")) << text;
    EXPECT_EQ("scenarios/canal/leak.json", place_of_step(report, 3)["artifactLocation"]["uri"]);
}

TEST(Sarif, AStepWithoutALineIsShownAtTheScenario) {
    const std::string scenario = "scenarios/canal/leak.json";
    const auto uri = [](const RunReport& report) {
        return place_of_step(report, 0)["artifactLocation"]["uri"];
    };
    EXPECT_EQ(scenario, uri(drawn_in(LOCKKEEPER_SOURCE_DIR, 250)));
    EXPECT_EQ(scenario, uri(drawn_in(LOCKKEEPER_SOURCE_DIR, 0)));
    // The repository of a scenario that is not beside the models.
    EXPECT_EQ(scenario, uri(drawn_in(std::string(LOCKKEEPER_SOURCE_DIR) + "/docs", 1)));
    EXPECT_EQ(scenario, uri(drawn_in("", 1)));
}

TEST(Sarif, WhatHasNoAnswerIsAResultToo) {
    const Json run = sarif_of({undecided(), refused(), unmet()});
    ASSERT_EQ(3U, run["results"].size());
    EXPECT_EQ("inconclusive", run["results"][0]["ruleId"]);
    EXPECT_EQ("warning", run["results"][0]["level"]);
    EXPECT_EQ("not-run", run["results"][1]["ruleId"]);
    EXPECT_EQ(3, run["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"]);
    EXPECT_EQ("expectation", run["results"][2]["ruleId"]);
    EXPECT_FALSE(run["invocations"][0]["executionSuccessful"]);
}

TEST(Sarif, AFingerprintStaysWhenLinesAndStepsChange) {
    const auto fingerprint = [](const RunReport& report) {
        return sarif_of({report})["results"][0]["partialFingerprints"]["primaryLocationLineHash"]
            .get<std::string>();
    };
    RunReport moved = drawn_long(50);
    moved.place.at = {99, 1};
    EXPECT_EQ(fingerprint(drawn()), fingerprint(moved));
    RunReport other = drawn();
    other.place.path = "scenarios/canal/other.json";
    EXPECT_NE(fingerprint(drawn()), fingerprint(other));
    EXPECT_NE(fingerprint(unmet("a.json#one")), fingerprint(unmet("a.json#two")));
}

TEST(Sarif, TheSameFindingTwiceHasTwoFingerprints) {
    RunReport report = violated();
    report.findings.push_back(report.findings.front());
    const Json results = sarif_of({report})["results"];
    EXPECT_NE(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
}

TEST(Sarif, AnExpectedViolationIsNoResult) {
    RunReport met = violated();
    met.met = Passed{};
    EXPECT_TRUE(sarif_of({met})["results"].empty());
}

TEST(Sarif, PathsAreUrisAndTextIsNoLink) {
    RunReport report = violated(kHostile);
    report.place.path = "a b/\xC3\xBC%#?.json";
    report.findings.front().trace.steps.front().text = "[here](https://evil)";
    const Json result = sarif_of({report})["results"][0];
    EXPECT_EQ("a%20b/%C3%BC%25%23%3F.json",
              result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]);
    EXPECT_EQ(
        "1. [here] (https://evil)",
        result["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]["message"]["text"]);
    report.place.path = "/elsewhere/x.json";
    const Json artifact =
        sarif_of({report})["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    EXPECT_EQ("file:///elsewhere/x.json", artifact["uri"]);
    EXPECT_FALSE(artifact.contains("uriBaseId"));
}

TEST(Sarif, ALongRunLosesItsMiddleAndSaysSo) {
    const Json flow = sarif_of({drawn_long(5000)})["results"][0]["codeFlows"][0];
    const Json& steps = flow["threadFlows"][0]["locations"];
    EXPECT_EQ(1000U, steps.size());
    EXPECT_EQ(200, steps[199]["executionOrder"]);
    EXPECT_EQ(4201, steps[200]["executionOrder"]);
    EXPECT_EQ(5000, steps[999]["executionOrder"]);
    EXPECT_TRUE(contains(flow["message"]["text"], "4,000 steps left out"));
}

std::string left_out_note(const Json& run) {
    return run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
}

TEST(Sarif, RunsThatDoNotFitAreLeftOutAndCounted) {
    const std::string text =
        in_format("sarif", results_of(std::vector<RunReport>(300, drawn_long(60))));
    EXPECT_LT(text.size(), 5'000'000U);
    EXPECT_GT(text.size(), 3'500'000U);
    const Json run = Json::parse(text)["runs"][0];
    EXPECT_EQ(300U, run["results"].size());
    EXPECT_TRUE(contains(left_out_note(run), "0 results and "));
    EXPECT_TRUE(contains(left_out_note(run), " code flows left out: the file would be too long"));
}

TEST(Sarif, MoreResultsThanAreShownAreLeftOutAndCounted) {
    const std::string text =
        in_format("sarif", results_of(std::vector<RunReport>(5100, refused())));
    EXPECT_LT(text.size(), 6'000'000U);
    const Json run = Json::parse(text)["runs"][0];
    EXPECT_EQ(5000U, run["results"].size());
    EXPECT_TRUE(contains(left_out_note(run), "100 results and 0 code flows left out"));
}

TEST(Sarif, ARefusedCommandIsANotification) {
    std::ostringstream out;
    find_format("sarif")->make(out, false)->refused(kExitUsage, "--seed: what?");
    const Json run = Json::parse(out.str())["runs"][0];
    EXPECT_TRUE(run["results"].empty());
    EXPECT_EQ(64, run["invocations"][0]["exitCode"]);
    EXPECT_FALSE(run["invocations"][0]["executionSuccessful"]);
    EXPECT_EQ("--seed: what?",
              run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]);
}

}  // namespace
}  // namespace lockkeeper
