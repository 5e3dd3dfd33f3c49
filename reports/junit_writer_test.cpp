// SPDX-License-Identifier: Apache-2.0

// Build servers get every outcome once, in XML that any reader accepts.
#include <sstream>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <gtest/gtest.h>

#include "reports/sample_reports_test.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;
using Tree = boost::property_tree::ptree;

std::string junit_of(std::vector<RunReport> reports) {
    return in_format("junit", results_of(std::move(reports)));
}

Tree read_junit(const std::string& xml) {
    EXPECT_EQ("", complaint_about(xml)) << xml;
    std::istringstream in(xml);
    Tree tree;
    boost::property_tree::read_xml(in, tree);
    return tree.get_child("testsuites");
}

// The cases of all suites.
std::vector<Tree> cases_of(const Tree& suites) {
    std::vector<Tree> cases;
    for (const auto& [name, suite] : suites) {
        for (const auto& [inner_name, inner] : suite) {
            if (inner_name == "testcase") {
                cases.push_back(inner);
            }
        }
    }
    return cases;
}

TEST(Junit, AViolationIsAFailureAndWhatHasNoAnswerIsAnError) {
    const Tree suites =
        read_junit(junit_of({explored("scenarios/a.json"), violated(), undecided(), refused()}));
    EXPECT_EQ(4, suites.get<int>("<xmlattr>.tests"));
    EXPECT_EQ(1, suites.get<int>("<xmlattr>.failures"));
    EXPECT_EQ(2, suites.get<int>("<xmlattr>.errors"));
    const std::vector<Tree> cases = cases_of(suites);
    ASSERT_EQ(4U, cases.size());
    EXPECT_EQ(0U, cases[0].count("failure") + cases[0].count("error"));
    EXPECT_EQ("violated: P2 leak in 2 steps",
              cases[1].get<std::string>("failure.<xmlattr>.message"));
    EXPECT_EQ("undecided", cases[2].get<std::string>("error.<xmlattr>.type"));
    EXPECT_EQ("not run", cases[3].get<std::string>("error.<xmlattr>.type"));
}

TEST(Junit, NothingIsSkipped) {
    const std::string xml = junit_of({explored(), violated(), undecided(), refused(), unmet()});
    EXPECT_FALSE(contains(xml, "<skipped"));
}

TEST(Junit, ACaseNamesItsPlaceAndASuiteItsDirectory) {
    const Tree suites = read_junit(junit_of({violated(), unmet()}));
    const Tree one = cases_of(suites).front();
    EXPECT_EQ("leak.json", one.get<std::string>("<xmlattr>.name"));
    EXPECT_EQ("scenarios.canal", one.get<std::string>("<xmlattr>.classname"));
    EXPECT_EQ("scenarios/canal/leak.json", one.get<std::string>("<xmlattr>.file"));
    EXPECT_EQ("7", one.get<std::string>("<xmlattr>.line"));
    EXPECT_EQ("all.json#two", cases_of(suites).back().get<std::string>("<xmlattr>.name"));
}

TEST(Junit, AFailureShowsTheRunAndTheCommandThatRepeatsIt) {
    const Tree suites = read_junit(junit_of({violated()}));
    const auto text = cases_of(suites).front().get<std::string>("failure");
    EXPECT_EQ(0U, text.find("violated: P2 leak in 2 steps"));
    EXPECT_TRUE(contains(text, "A acquires"));
    EXPECT_TRUE(contains(text, "lockkeeper replay x.json --schedule 'lk1:1:s0,b1.2'"));
}

TEST(Junit, AnExpectedViolationPasses) {
    RunReport met = violated();
    met.met = Passed{};
    const Tree suites = read_junit(junit_of({met}));
    EXPECT_EQ(0, suites.get<int>("<xmlattr>.failures") + suites.get<int>("<xmlattr>.errors"));
}

TEST(Junit, FilesThatAnInterruptLeftOutAreAnError) {
    Results results = results_of({explored()});
    results.cases_count = 5;
    results.exit_code = kExitInterrupted;
    const Tree suites = read_junit(in_format("junit", results));
    EXPECT_EQ(1, suites.get<int>("<xmlattr>.errors"));
    EXPECT_TRUE(
        contains(cases_of(suites).back().get<std::string>("error"), "4 of 5 cases not run"));
}

TEST(Junit, AReportThatCouldNotBeWrittenIsAnError) {
    Results results = results_of({explored()});
    results.exit_code = kExitInput;
    EXPECT_EQ(1, read_junit(in_format("junit", results)).get<int>("<xmlattr>.errors"));
}

TEST(Junit, ARefusedCommandIsAnError) {
    std::ostringstream out;
    find_format("junit")->make(out, false)->refused(kExitUsage, "--seed: <what>?");
    const Tree suites = read_junit(out.str());
    EXPECT_EQ(1, suites.get<int>("<xmlattr>.errors"));
    EXPECT_EQ("--seed: <what>?",
              cases_of(suites).front().get<std::string>("error.<xmlattr>.message"));
}

TEST(Junit, TheSameFileTwiceIsTwoCases) {
    const std::vector<Tree> cases = cases_of(read_junit(junit_of({explored(), explored()})));
    EXPECT_EQ("x.json", cases[0].get<std::string>("<xmlattr>.name"));
    EXPECT_EQ("x.json (2)", cases[1].get<std::string>("<xmlattr>.name"));
}

TEST(Junit, NamesFromOutsideCannotBreakIt) {
    RunReport report = violated(kHostile);
    report.place.path = kHostile;
    report.findings.front().trace.steps.front().text = kHostile;
    report.findings.front().replay_command = kHostile;
    RunReport bad = refused(kHostile);
    const Tree suites = read_junit(junit_of({report, bad}));
    EXPECT_EQ(2U, cases_of(suites).size());
    EXPECT_TRUE(contains(cases_of(suites).front().get<std::string>("failure"), "</a><script>"));
}

TEST(Junit, AnEndlessFailureIsCutAndSaysSo) {
    RunReport report = violated();
    report.findings.front().trace.steps.front().text = std::string(200, 'x');
    report.findings.assign(3000, report.findings.front());
    const std::string xml = junit_of({report});
    EXPECT_LT(xml.size(), 100'000U);
    EXPECT_TRUE(contains(xml, "lines left out"));
    EXPECT_EQ("", complaint_about(xml));
}

}  // namespace
}  // namespace lockkeeper
