// SPDX-License-Identifier: Apache-2.0
#include "reports/read_results.hpp"

#include <gmock/gmock.h>

#include "model/json.hpp"
#include "properties/catalogue.hpp"
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

// All that stands in `part`: a run that was read has parties beside its steps.
void expect_has(const Document& whole, const Document& part) {
    if (!part.is_structured()) {
        EXPECT_EQ(whole, part);
        return;
    }
    EXPECT_TRUE(part.is_object() || whole.size() == part.size()) << whole;
    for (const auto& [name, value] : part.items()) {
        expect_has(part.is_object() ? whole.at(name) : whole.at(std::stoul(name)), value);
    }
}

TEST(ReadResults, WhatWasWrittenIsReadBack) {
    const Document document = document_of(found_leak());
    const auto again = read(document);
    ASSERT_TRUE(again);
    expect_has(document_of(*again)["violations"], document["violations"]);
    for (const char* name :
         {"file", "verdict", "exit_code", "states", "checked", "seed", "scope"}) {
        EXPECT_EQ(document["files"][0][name], document_of(*again)["files"][0][name]) << name;
    }
    EXPECT_EQ(kExitViolated, exit_code_of(*again));
}

TEST(ReadResults, ARunThatIsReadHasItsPartiesByTheWordsOfItsSteps) {
    const Document run = document_of(*read(document_of(found_leak())))["violations"][0];
    EXPECT_EQ("first", run["parties"][0]["name"]);
    EXPECT_EQ("second", run["parties"][1]["name"]);
    EXPECT_EQ(1, run["trace"][1]["party"]);
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
    EXPECT_THAT(refusal_of(document),
                HasSubstr("/result_version: this build reads version 1, found 2: read it with"));
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

// Whether a reader of the format would take the text for markup. JSON may have it in a string.
bool has_markup(const std::string& format, const std::string& text) {
    const bool is_markup = format == "html" || format == "svg" || format == "junit" ||
                           format == "markdown" || format == "mermaid" || format == "graphviz";
    return is_markup && text.find("<i x=") != std::string::npos;
}

std::size_t check_written(const Results& results, const std::string& pointer) {
    std::size_t shown = 0;
    for (const ReportFormat& format : report_formats()) {
        if (format.why_missing != nullptr && !format.why_missing().empty()) {
            continue;
        }
        const std::string name(format.name);
        const std::string text = written(format, results);
        EXPECT_FALSE(has_markup(name, text)) << name << " " << pointer << "\n" << text;
        EXPECT_EQ(std::string::npos, text.find('\x1B')) << name << " " << pointer;
        // GitHub obeys a line that begins so, in its own format.
        EXPECT_TRUE(name != "github" || text.find("\n::error::y") == std::string::npos) << pointer;
        if (name == "json" || name == "sarif" || name == "perfetto") {
            EXPECT_TRUE(Document::accept(text)) << name << " " << pointer;
        }
        shown += text.find("i x=") != std::string::npos ? 1 : 0;
    }
    return shown;
}

// A file of results may be anybody's: each text of it, in every format.
TEST(ReadResults, EveryTextMayBeHostileInEveryFormat) {
    const std::string hostile = "</pre></details></script><i x=\x1B[31m\"'&;%0A`|\n::error::y\n";
    const Document whole = document_of(found_leak());
    std::size_t read_count = 0;
    std::size_t shown = 0;
    const Document flat = whole.flatten();
    for (const auto& [pointer, value] : flat.items()) {
        Document document = whole;
        document[Document::json_pointer(pointer)] = hostile;
        if (!refusal_of(document).empty()) {
            continue;
        }
        ++read_count;
        shown += check_written(*read(document), pointer);
    }
    EXPECT_GT(read_count, 20U);
    EXPECT_GT(shown, 50U);
}

}  // namespace
}  // namespace lockkeeper
