// SPDX-License-Identifier: Apache-2.0

// A run as each viewer draws it, whatever its names are.
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "model/json.hpp"
#include "reports/drawn_run.hpp"
#include "reports/sample_reports_test.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;
using Json = nlohmann::json;

std::string diagram(const std::string& format, const RunReport& report) {
    return in_format(format, results_of({report}));
}
Json json_diagram(const std::string& format, const RunReport& report) {
    return Json::parse(diagram(format, report));
}
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(StepWindow, KeepsMoreOfTheEndThanOfTheBeginning) {
    EXPECT_EQ(0U, window_of(8, 8).left_out());
    const StepWindow window = window_of(100, 8);
    EXPECT_EQ(92U, window.left_out());
    EXPECT_TRUE(window.has(2));
    EXPECT_FALSE(window.has(3));
    EXPECT_FALSE(window.has(94));
    EXPECT_TRUE(window.has(95));
    EXPECT_EQ(0U, window_of(0, 8).left_out());
}

TEST(DrawnRun, AFindingEndsWithItsViolation) {
    RunReport report = drawn();
    report.findings.front().trace.steps.resize(2);
    const Results results = results_of({report});
    const std::vector<DrawnRun> runs = drawn_runs(results);
    ASSERT_EQ(1U, runs.size());
    ASSERT_EQ(1U, runs.front().messages().size());
    EXPECT_EQ(0U, runs.front().messages().front().arrives);
    ASSERT_EQ(1U, runs.front().operations().size());
    EXPECT_EQ("acquire db", runs.front().operations().front().name);
    EXPECT_EQ(2U, runs.front().operations().front().last);
    EXPECT_TRUE(runs.front().takes_part(2));
    EXPECT_FALSE(runs.front().takes_part(3));
}

TEST(DrawnRun, ARunWithoutWordsIsNotDrawn) {
    RunReport report = drawn();
    report.findings.front().trace.steps.front().text.clear();
    const Results results = results_of({report});
    EXPECT_TRUE(drawn_runs(results).empty());
}

TEST(DrawnRun, WithoutPartiesIsARunOfOne) {
    RunReport report = drawn();
    Trace& trace = report.findings.front().trace;
    trace.parties.clear();
    trace.fields.clear();
    trace.initial_values.clear();
    for (TraceStep& step : trace.steps) {
        step.words = {};
        step.changes.clear();
    }
    EXPECT_TRUE(contains(diagram("mermaid", report), "    Note over p0: 1. A update_counter"));
    EXPECT_TRUE(contains(diagram("shiviz", report), "\nrun {\"run\":4}\n"));
    EXPECT_EQ(5U, json_diagram("itf", report)["states"].size());
    EXPECT_FALSE(json_diagram("perfetto", report)["traceEvents"].empty());
    EXPECT_EQ("", complaint_about(diagram("svg", report)));
}

TEST(Mermaid, DrawsStepsAtTheirPartyAndMessagesWhereTheyArrive) {
    EXPECT_EQ(
        "%% written by lockkeeper\n"
        "sequenceDiagram\n"
        "    title P2 leak (fatal) in 4 steps\n"
        "    participant p0 as A\n"
        "    participant p1 as B\n"
        "    participant p2 as manager\n"
        "    Note over p0: 1. update_counter db[1]\n"
        "    Note over p0: 2. notify\n"
        "    Note over p0: * 3. dies\n"
        "    p0-)p2: message about db of step 2\n"
        "    Note over p2: 4. reads the message\n"
        "    Note over p0,p2: violates P2 leak\n",
        diagram("mermaid", drawn()));
}

TEST(Mermaid, ALivelockIsALoop) {
    RunReport report = drawn();
    report.findings.front().cycle_start = 1;
    const std::string text = diagram("mermaid", report);
    EXPECT_LT(text.find("1. update"), text.find("    loop for ever\n"));
    EXPECT_LT(text.find("    loop for ever\n"), text.find("2. notify"));
    EXPECT_TRUE(text.ends_with("    end\n"));
    EXPECT_EQ(1U, count_of(text, "    loop "));
}

TEST(Mermaid, NoNameEndsAStatement) {
    RunReport report = drawn(kHostile);
    report.findings.front().trace.steps.front().words.label = kHostile;
    for (const std::string& line : lines_of(diagram("mermaid", report))) {
        const bool is_known =
            line.starts_with("%% written") || line == "sequenceDiagram" ||
            line.starts_with("    title ") || line.starts_with("    participant p") ||
            line.starts_with("    Note over p") || line.starts_with("    p0-)p2:");
        EXPECT_TRUE(is_known) << line;
        const std::string without_numbers =
            std::regex_replace(line, std::regex("#[0-9]+;|^%%"), "");
        EXPECT_EQ(std::string::npos, without_numbers.find_first_of(";#%{}<>")) << line;
    }
}

TEST(Mermaid, IsAsLongAsItsReadersTakeAndSaysWhatIsLeftOut) {
    RunReport report = drawn_long(5000);
    for (TraceStep& step : report.findings.front().trace.steps) {
        step.words.label = std::string(100, ';');
    }
    const std::string text = diagram("mermaid", report);
    EXPECT_LT(text.size(), 50'000U);
    EXPECT_GT(text.size(), 20'000U);
    EXPECT_TRUE(contains(text, " steps left out"));
    EXPECT_TRUE(contains(text, "5000. #59;"));
}

// The clocks of a log, by the event before each of them.
std::map<std::string, Json> clocks_in(const std::string& log) {
    std::map<std::string, Json> clocks;
    const std::vector<std::string> lines = lines_of(log);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::size_t brace = lines[i].find(" {");
        if (brace != std::string::npos && lines[i].find(' ') == brace) {
            clocks[lines[i - 1]] = Json::parse(lines[i].substr(brace + 1));
        }
    }
    return clocks;
}

TEST(Shiviz, AStepKnowsOfWhatItsMessageSays) {
    const std::string log = diagram("shiviz", drawn());
    const auto clocks = clocks_in(log);
    ASSERT_EQ(4U, clocks.size()) << log;
    EXPECT_EQ(Json::parse(R"({"A": 1})"), clocks.at("step 1: update_counter db[1]"));
    EXPECT_EQ(Json::parse(R"({"A": 3})"), clocks.at("step 3: dies"));
    // Sent in step 2, so nothing is known of the death.
    EXPECT_EQ(Json::parse(R"({"A": 2, "manager": 1})"),
              clocks.at("step 4: reads the message (violation)"));
}

TEST(Shiviz, AStepKnowsOfWhatTouchedTheSameKeyBefore) {
    RunReport report = drawn();
    report.findings.front().trace.messages.clear();
    TraceStep& last = report.findings.front().trace.steps.back();
    last.event.value = 1;
    EXPECT_EQ(Json::parse(R"({"A": 1, "manager": 1})"),
              clocks_in(diagram("shiviz", report)).at("step 4: reads the message (violation)"));
}

TEST(Shiviz, EveryStepKnowsThatTimeHasPassed) {
    RunReport report = drawn();
    Trace& trace = report.findings.front().trace;
    trace.steps[2].party = 3;
    EXPECT_EQ(Json::parse(R"({"A": 2, "clock": 1, "manager": 1})"),
              clocks_in(diagram("shiviz", report)).at("step 4: reads the message (violation)"));
}

TEST(Shiviz, HostsHaveDifferentNamesWithoutSpaces) {
    RunReport report = drawn("B");
    report.findings.front().trace.parties[2].name = "the \"manager\" {1}";
    const std::string log = diagram("shiviz", report);
    EXPECT_TRUE(contains(log, "\nB {\"B\":1}\n")) << log;
    EXPECT_TRUE(contains(log, "\nthe__manager___1_ {\"B\":2, \"the__manager___1_\":1}\n")) << log;
    EXPECT_EQ(4U, clocks_in(diagram("shiviz", drawn(kHostile))).size());
}

TEST(Itf, HasAStateForEachStepAndEveryVariableInEachState) {
    const Json trace = json_diagram("itf", drawn());
    EXPECT_EQ("ITF", trace["#meta"]["format"]);
    ASSERT_EQ(5U, trace["states"].size());
    for (const Json& state : trace["states"]) {
        EXPECT_EQ(trace["vars"].size() + 1, state.size());
        for (const Json& variable : trace["vars"]) {
            EXPECT_TRUE(state.contains(variable.get<std::string>())) << variable;
        }
    }
    EXPECT_EQ(Json::parse(R"({"#map": []})"), trace["states"][0]["counters"]);
    EXPECT_EQ(Json::parse(R"({"#map": [["db[1]", {"#bigint": "1"}]]})"),
              trace["states"][1]["counters"]);
    EXPECT_EQ(Json::parse(R"({"#map": [["A db", {"#bigint": "1"}]]})"),
              trace["states"][2]["believed"]);
    EXPECT_EQ(Json::parse(R"({"#map": [["A", true]]})"), trace["states"][3]["dead"]);
    EXPECT_EQ(true, trace["states"][4]["at_rest"]);
    EXPECT_EQ("A dies", trace["states"][3]["step"]);
    EXPECT_FALSE(trace.contains("loop"));
}

TEST(Itf, ALivelockIsALasso) {
    RunReport report = drawn();
    report.findings.front().cycle_start = 2;
    EXPECT_EQ(2, json_diagram("itf", report)["loop"]);
}

TEST(Perfetto, OperationsEncloseTheirStepsAndMessagesAreFlows) {
    const Json events = json_diagram("perfetto", drawn())["traceEvents"];
    std::map<std::string, std::vector<Json>> by_phase;
    for (const Json& event : events) {
        by_phase[event["ph"].get<std::string>()].push_back(event);
    }
    ASSERT_EQ(5U, by_phase["X"].size());
    EXPECT_EQ("acquire db", by_phase["X"][0]["name"]);
    EXPECT_EQ(0, by_phase["X"][0]["ts"]);
    EXPECT_EQ(2000, by_phase["X"][0]["dur"]);
    EXPECT_EQ("ok", by_phase["X"][0]["args"]["ended"]);
    ASSERT_EQ(1U, by_phase["s"].size());
    ASSERT_EQ(1U, by_phase["f"].size());
    EXPECT_EQ(by_phase["s"][0]["id"], by_phase["f"][0]["id"]);
    EXPECT_EQ(1500, by_phase["s"][0]["ts"]);
    EXPECT_EQ(3500, by_phase["f"][0]["ts"]);
    EXPECT_EQ(by_phase["X"][4]["tid"], by_phase["f"][0]["tid"]);
    ASSERT_EQ(1U, by_phase["i"].size());
    EXPECT_EQ("violates P2 leak", by_phase["i"][0]["name"]);
    EXPECT_EQ("db[1]", by_phase["C"][1]["name"]);
}

TEST(Perfetto, EachRunIsAProcess) {
    RunReport report = drawn();
    report.findings.push_back(report.findings.front());
    std::map<int, int> events;
    const Json trace = json_diagram("perfetto", report);
    for (const Json& event : trace["traceEvents"]) {
        ++events[event["pid"].get<int>()];
    }
    EXPECT_EQ(2U, events.size());
    EXPECT_EQ(events[1], events[2]);
}

TEST(Svg, ARunIsLanesWithBarsAndArrows) {
    const std::string svg = diagram("svg", drawn());
    EXPECT_EQ("", complaint_about(svg));
    for (const char* part :
         {">A</text>", ">manager</text>", ">update_counter db[1]</text>", ">* 3</text>",
          ">! 4</text>", ">db [1]</text>", "stroke=\"#8fb0d6\"", "stroke=\"#3b7d3b\""}) {
        EXPECT_TRUE(contains(svg, part)) << part;
    }
    EXPECT_FALSE(contains(svg, ">clock</text>"));
    EXPECT_EQ("", complaint_about(diagram("svg", drawn(kHostile))));
}

TEST(Svg, ALongRunLosesItsMiddleAndSaysSo) {
    const std::string svg = diagram("svg", drawn_long(1000));
    EXPECT_EQ("", complaint_about(svg));
    EXPECT_TRUE(contains(svg, "... 600 steps left out ..."));
    EXPECT_TRUE(contains(svg, ">! 1000</text>"));
}

RunReport with_graph() {
    RunReport report = explored();
    DrawnGraph& graph = report.graph.emplace();
    graph.states = {{"db [0]", true, false, false, {}},
                    {"db \"1\"\\", true, true, false, {find_property("leak")}}};
    graph.transitions = {{0, 1, "A acquires", {}}, {1, 0, "A releases", {find_property("leak")}}};
    return report;
}

TEST(Graphviz, DrawsStatesAndStepsAndMarksViolations) {
    const std::string dot = diagram("graphviz", with_graph());
    EXPECT_EQ(0U, dot.find("// written by lockkeeper\ndigraph states {\n"));
    EXPECT_TRUE(contains(dot, "  s0 [label=\"1: db [0]\", style=bold];\n"));
    EXPECT_TRUE(contains(dot,
                         "  s1 [label=\"2: db \\\"1\\\"\\\\, violates P2 leak\", "
                         "peripheries=2, color=red, fontcolor=red];\n"));
    EXPECT_TRUE(contains(dot, "  s0 -> s1 [label=\"A acquires\"];\n"));
    EXPECT_TRUE(contains(dot, "  s1 -> s0 [label=\"A releases, violates P2 leak\", color=red"));
}

TEST(Graphviz, StatesThatAreLeftOutAreCounted) {
    RunReport report = with_graph();
    report.graph->transitions_left_out = 7;
    EXPECT_TRUE(contains(diagram("graphviz", report),
                         "; the first 2 states only, 7 more steps lead to others\""));
}

TEST(Diagrams, OfNoRunSaySo) {
    for (const char* format : {"mermaid", "shiviz", "itf", "svg"}) {
        EXPECT_TRUE(contains(diagram(format, explored()), "no run to ")) << format;
    }
    EXPECT_TRUE(json_diagram("perfetto", explored())["traceEvents"].empty());
    EXPECT_TRUE(contains(diagram("graphviz", explored()), "no exploration to draw"));
}

TEST(Diagrams, ARefusedCommandIsSaidInEachFormat) {
    for (const char* format : {"mermaid", "shiviz", "itf", "perfetto", "graphviz", "svg"}) {
        std::ostringstream out;
        find_format(format)->make(out, false)->refused(kExitUsage, "bad seed");
        EXPECT_TRUE(contains(out.str(), "bad seed")) << format;
        EXPECT_EQ(0U, out.str().find(find_format(format)->mark)) << format;
    }
}

}  // namespace
}  // namespace lockkeeper
