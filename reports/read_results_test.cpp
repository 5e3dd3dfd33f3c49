// SPDX-License-Identifier: Apache-2.0
#include "reports/read_results.hpp"

#include <gmock/gmock.h>

#include "model/json.hpp"
#include "properties/catalogue.hpp"
#include "reports/page_data.hpp"
#include "reports/writer.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {
namespace {

using testing::HasSubstr;
using Document = nlohmann::ordered_json;

// A leak after two steps of two callers, found by exploring.
Results found_leak() {
    RunReport report;
    report.command = "explore";
    report.file = "a.json";
    report.system = "canal";
    report.variant = "faithful";
    report.strategy = "breadth-first";
    report.scope = "2 callers";
    report.verdict = Violated{};
    report.checked = {find_property("leak")};
    report.explored.emplace().states = 361;
    report.explored->stopped_at_violation = true;
    Finding& finding = report.findings.emplace_back();
    finding.property = find_property("leak");
    finding.schedule = {7, {{0, ActionKind::kStep, 0}, {1, ActionKind::kCrash, 0}}};
    finding.replay_command = "lockkeeper replay a.json";
    finding.trace.initial_state = "db [0]";
    for (const Action action : finding.schedule.actions) {
        TraceStep& step = finding.trace.steps.emplace_back();
        step.action = action;
        step.text = action.actor == 0 ? "first acquire: take" : "second crashes";
        step.state = "db [1]";
    }
    finding.trace.steps[1].violates = {find_property("leak")};
    finding.trace.steps[0].is_cause = true;
    Results results;
    results.command = "explore";
    results.files = {report};
    results.exit_code = kExitViolated;
    return results;
}

Document document_of(const Results& results) {
    return Document::parse(written(*find_format("json"), results));
}
std::optional<Results> read(const Document& document) {
    return parse_results(document.dump(), "r.json");
}
std::string refusal_of(const Document& document) {
    try {
        static_cast<void>(read(document));
        return "";
    } catch (const BadInput& error) {
        return error.what();
    }
}

TEST(ReadResults, WhatWasWrittenIsReadBack) {
    const Document document = document_of(found_leak());
    const auto again = read(document);
    ASSERT_TRUE(again);
    EXPECT_EQ(document["violations"], document_of(*again)["violations"]);
    for (const char* name :
         {"file", "verdict", "exit_code", "states", "checked", "seed", "scope"}) {
        EXPECT_EQ(document["files"][0][name], document_of(*again)["files"][0][name]) << name;
    }
    EXPECT_EQ(kExitViolated, exit_code_of(*again));
}

TEST(ReadResults, ARunThatIsReadHasItsPartiesByTheWordsOfItsSteps) {
    const auto data = page_content(*read(document_of(found_leak())), "").data;
    const auto& run = data["runs"][0];
    EXPECT_EQ("first", run["parties"][0]["name"]);
    EXPECT_EQ("second", run["parties"][1]["name"]);
    EXPECT_EQ(1, run["steps"][1]["party"]);
    EXPECT_EQ("P2 leak in 2 steps", run["title"]);
    EXPECT_EQ("violated: P2 leak in 2 steps", data["summary"]["title"]);
}

TEST(ReadResults, AnotherDocumentIsNone) {
    EXPECT_FALSE(read(Document::parse(R"({"version": 1, "system": "canal"})")));
    EXPECT_FALSE(read(Document::parse("[1]")));
    EXPECT_THAT(refusal_of(Document::parse(R"({"measure_version": 1})")),
                HasSubstr("a document with \"measure_version\" has no runs"));
}

TEST(ReadResults, AViolationOfNoFileIsRefusedWithItsPlace) {
    Document document = document_of(found_leak());
    document["violations"][0]["file"] = "b.json";
    EXPECT_THAT(refusal_of(document),
                HasSubstr("/violations/0/file: no entry of /files has this name"));
    document = document_of(found_leak());
    document["violations"][0]["property"] = "leek";
    EXPECT_THAT(refusal_of(document), HasSubstr("/violations/0/property"));
    EXPECT_THAT(refusal_of(document), HasSubstr("did you mean \"leak\""));
    document = document_of(found_leak());
    document["violations"][0]["trace"][0]["action"] = "q7";
    EXPECT_THAT(refusal_of(document), HasSubstr("/violations/0/trace/0/action: character 1"));
    document["result_version"] = 2;
    EXPECT_THAT(refusal_of(document), HasSubstr("/result_version"));
}

// Whatever is wrong: a sentence with the file, and never anything else.
TEST(ReadResults, EveryMemberMayBeWrong) {
    const Document whole = document_of(found_leak());
    const Document flat = whole.flatten();
    std::size_t refused = 0;
    for (const auto& [pointer, value] : flat.items()) {
        for (const Document& wrong : {Document(Document::object()), Document(-1), Document("x")}) {
            Document document = whole;
            document[Document::json_pointer(pointer)] = wrong;
            const std::string refusal = refusal_of(document);
            EXPECT_TRUE(refusal.empty() || refusal.starts_with("r.json:")) << refusal;
            refused += refusal.empty() ? 0U : 1U;
        }
    }
    EXPECT_GT(refused, 50U);
}

}  // namespace
}  // namespace lockkeeper
