// SPDX-License-Identifier: Apache-2.0

// The text and the JSON of one and the same report.
#include "work/results/run_report.hpp"

#include <gtest/gtest.h>

#include "model/json.hpp"
#include "properties/catalogue.hpp"
#include "reports/sample_reports_test.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "reports/xml_complaint_test.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;
using testing_scenarios::report_complaint;

std::string result_document(const std::string& command, const std::vector<RunReport>& reports,
                            int exit_code) {
    Results results;
    results.command = command;
    results.files = reports;
    results.exit_code = exit_code;
    return written(*find_format("json"), results);
}

TEST(RunText, FirstAndLastLines) {
    const RunReport report = explored();
    EXPECT_EQ(0U, head_text(report).find(build_text() +
                                         "  seed 1  strategy breadth-first  scope: 2 callers"));
    EXPECT_EQ("verdict: passed\nscope: complete: 2 callers, 0 crashes, 12,345 states\nseed: 1\n",
              foot_text(report));
}

TEST(RunText, Violation) {
    RunReport report = explored();
    report.verdict = Violated{};
    report.complete = report.explored->complete = false;
    report.explored->stopped_at_violation = true;
    report.findings = {leak()};
    report.files_written = {"out/leak-1.trace.json"};
    EXPECT_EQ(
        "verdict: violated: P2 leak in 2 steps\n"
        "scope: stopped at the first violation: 2 callers, 0 crashes, 12,345 states\n"
        "seed: 1\n"
        "written: out/leak-1.trace.json\n"
        "replay: lockkeeper replay x.json --schedule 'lk1:1:s0,b1.2'\n",
        foot_text(report));
    EXPECT_TRUE(contains(body_text(report), "violation 1 of 1: P2 leak (fatal) in 2 steps\n"));
}

TEST(RunText, SeveralViolationsAreListedFirst) {
    RunReport report = explored();
    report.verdict = Violated{};
    report.findings = {leak(), leak()};
    report.findings[1].property = find_property("livelock");
    report.findings[1].cycle_start = 1;
    const std::string text = body_text(report);
    EXPECT_EQ(0U, text.find("violation 1: P2 leak"));
    EXPECT_TRUE(
        contains(text, "violation 2: P14 livelock (fatal) in 2 steps, for ever from step 2"));
    EXPECT_TRUE(contains(foot_text(report), "P2 leak in 2 steps, and 1 more"));
}

TEST(RunText, NumbersAndGoals) {
    RunReport report = explored();
    report.goals_reached = {find_goal("acquired")};
    report.goals_missed = {find_goal("full")};
    const std::string text = body_text(report);
    EXPECT_TRUE(contains(text, "distinct states         12,345\n"));
    EXPECT_TRUE(contains(text, "maximal interleavings   4,104,888,123,456 (about 4.1e12)\n"));
    EXPECT_TRUE(contains(text, "goals reached           acquired\n"));
    EXPECT_TRUE(contains(text, "goals NOT reached       full\n"));
}

TEST(RunText, Fuzzing) {
    RunReport report = explored();
    report.explored.reset();
    report.complete = false;
    report.fuzzed.emplace();
    report.fuzzed->schedules = 10'000;
    EXPECT_TRUE(contains(foot_text(report), "scope: bounded: 10,000 schedules, 2 callers"));
    report.checked = {find_property("livelock")};
    EXPECT_TRUE(contains(body_text(report), "not seen in these runs  livelock"));
}

TEST(ResultJson, KeepsToItsSchema) {
    RunReport found = explored();
    found.verdict = Violated{};
    found.findings = {leak(), leak()};
    found.findings[1].property = nullptr;
    found.findings[1].cycle_start = 0;
    RunReport replayed = explored();
    replayed.explored.reset();
    replayed.replayed = leak().trace;
    replayed.replayed->divergences = {{3, "because"}};
    replayed.met = Violated{"/expect/verdict"};
    RunReport fuzzed = explored();
    fuzzed.fuzzed.emplace();
    fuzzed.explored.reset();
    RunReport bad;
    bad.verdict = RefusedFile{};
    bad.file = "bad \xff name";
    for (const auto& reports : std::vector<std::vector<RunReport>>{
             {}, {found}, {replayed}, {fuzzed}, {bad}, {found, replayed, fuzzed, bad}}) {
        const std::string document = result_document("explore", reports, 1);
        EXPECT_EQ("", report_complaint(document, "result.schema.json")) << document;
    }
}

TEST(ResultJson, Totals) {
    const auto one = nlohmann::json::parse(result_document("explore", {explored()}, 0));
    EXPECT_EQ("passed", one["verdict"]);
    EXPECT_EQ(12345, one["states"]);
    EXPECT_EQ("4104888123456", one["interleavings"]);
    EXPECT_EQ("x.json", one["file"]);
    const auto two = nlohmann::json::parse(result_document("explore", {explored(), explored()}, 0));
    EXPECT_EQ(24690, two["states"]);
    EXPECT_TRUE(two["interleavings"].is_null());
    EXPECT_TRUE(two["file"].is_null());
    EXPECT_EQ(2U, two["files"].size());
}

TEST(ResultJson, SaysOfEachViolationWhetherItsShrinkingWasCut) {
    RunReport report = explored();
    report.verdict = Violated{};
    report.findings = {leak(), leak()};
    report.findings[1].is_cut = true;
    const auto json = nlohmann::json::parse(result_document("explore", {report}, 1));
    EXPECT_EQ(false, json["violations"][0]["shrinking_cut"]);
    EXPECT_EQ(true, json["violations"][1]["shrinking_cut"]);
    EXPECT_TRUE(contains(body_text(report), ", not shrunk to the end (a limit)"));
}

TEST(ResultJson, AnExpectedViolationIsAPass) {
    RunReport met = explored();
    met.verdict = Violated{};
    met.met = Passed{};
    EXPECT_EQ("passed", nlohmann::json::parse(result_document("run", {met}, 0))["verdict"]);
    RunReport unmet = explored();
    unmet.met = Violated{};
    EXPECT_EQ("violated", nlohmann::json::parse(result_document("run", {unmet}, 1))["verdict"]);
}

}  // namespace
}  // namespace lockkeeper
