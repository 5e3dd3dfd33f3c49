// SPDX-License-Identifier: Apache-2.0

// Workflow commands: one line each, none that somebody's file name or script could add.
#include <sstream>

#include <gtest/gtest.h>

#include "reports/sample_reports_test.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;

std::string annotations_of(std::vector<RunReport> reports) {
    return in_format("github", results_of(std::move(reports)));
}

// Lines that GitHub takes for a command.
std::vector<std::string> commands_in(const std::string& text) {
    std::vector<std::string> commands;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("::") || line.starts_with("##[")) {
            commands.push_back(line);
        }
    }
    return commands;
}

TEST(Github, EachFileThatDidNotPassIsAnAnnotationAtItsPlace) {
    const std::string text = annotations_of({explored(), violated(), undecided(), refused()});
    const std::vector<std::string> commands = commands_in(text);
    ASSERT_EQ(3U, commands.size());
    EXPECT_EQ(0U,
              commands[0].find(
                  "::error file=scenarios/canal/leak.json,line=7,col=5,title="
                  "failed%3A scenarios/canal/leak.json::violated: P2 leak in 2 steps%0AAt rest"))
        << commands[0];
    EXPECT_TRUE(contains(commands[0], "%0Alockkeeper replay x.json"));
    EXPECT_EQ(0U, commands[1].find("::error file=scenarios/canal/bad.json,line=3,col=7,"));
    EXPECT_EQ(0U, commands[2].find("::warning file=scenarios/canal/large.json,line=1,col=1,"));
    EXPECT_TRUE(contains(text, "1 passed, 1 failed, 1 undecided, 1 not run\n"));
}

TEST(Github, WhatSeparatesIsEscapedInPropertiesAndLineEndsEverywhere) {
    RunReport report = refused("a,b:c%.json");
    report.verdict = RefusedFile{"100%, that is:\nall"};
    const std::string text = commands_in(annotations_of({report})).front();
    EXPECT_TRUE(contains(text, "file=a%2Cb%3Ac%25.json,")) << text;
    EXPECT_TRUE(text.ends_with("::100%25, that is:%0Aall")) << text;
}

TEST(Github, NoNameFromOutsideIsACommand) {
    RunReport report = violated(kHostile);
    report.place.path = kHostile;
    report.findings.front().replay_command = kHostile;
    EXPECT_EQ(1U, commands_in(annotations_of({report})).size());
    EXPECT_EQ(1U, commands_in(annotations_of({refused(kHostile)})).size());
}

TEST(Github, TheTenthOfAKindSaysHowManyThereAreBesides) {
    const std::vector<std::string> ten = commands_in(annotations_of(std::vector(10, violated())));
    EXPECT_EQ(10U, ten.size());
    EXPECT_FALSE(contains(ten.back(), "more like these"));
    std::vector<RunReport> many(25, violated());
    many.resize(40, undecided());
    const std::vector<std::string> commands = commands_in(annotations_of(many));
    ASSERT_EQ(20U, commands.size());
    EXPECT_EQ("::error title=lockkeeper::16 more like these: see the whole report", commands[9]);
    EXPECT_EQ("::warning title=lockkeeper::6 more like these: see the whole report", commands[19]);
}

TEST(Github, APassHasNoAnnotation) {
    RunReport met = violated();
    met.met = Passed{};
    EXPECT_TRUE(commands_in(annotations_of({met, explored()})).empty());
}

}  // namespace
}  // namespace lockkeeper
