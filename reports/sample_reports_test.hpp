// SPDX-License-Identifier: Apache-2.0

// Reports of every outcome, and one run with everything that diagrams draw. For the tests of
// writers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "properties/catalogue.hpp"
#include "reports/writer.hpp"

namespace lockkeeper::testing_reports {

// A hostile name from outside: markup, quotes, separators and ends of commands in some format,
// control characters, bytes that are no UTF-8, and a letter that is.
inline const std::string kHostile =
    "</a><script>\"'&;#%0A::,|`\\](x)*_{}--%%{init}\x01\x1B[31m\xFF\xC3\xBC\r\nend\n::error::x";

// Leaks in its second step.
inline Finding leak() {
    Finding finding;
    finding.property = find_property("leak");
    finding.schedule = {1, {{0, ActionKind::kStep, 0}, {1, ActionKind::kBackground, 2}}};
    finding.trace.initial_state = "db [0]";
    for (const Action action : finding.schedule.actions) {
        TraceStep step;
        step.action = action;
        step.text = "A acquires";
        finding.trace.steps.push_back(step);
    }
    finding.trace.steps.back().violates = {finding.property};
    finding.replay_command = "lockkeeper replay x.json --schedule 'lk1:1:s0,b1.2'";
    return finding;
}

inline RunReport explored(const std::string& file = "x.json") {
    RunReport report;
    report.command = "explore";
    report.file = file;
    report.system = "canal";
    report.variant = "faithful";
    report.strategy = "breadth-first";
    report.scope = "2 callers, 1 key";
    report.short_scope = "2 callers, 0 crashes";
    report.seed = 1;
    report.checked = {find_property("leak")};
    report.explored.emplace();
    report.explored->states = 12345;
    report.explored->complete = true;
    report.explored->interleavings = "4104888123456";
    report.complete = true;
    return report;
}

inline RunReport violated(const std::string& file = "scenarios/canal/leak.json") {
    RunReport report = explored(file);
    report.place = {file, {7, 5}};
    report.verdict = Violated{};
    report.findings = {leak()};
    return report;
}
inline RunReport undecided(const std::string& file = "scenarios/canal/large.json") {
    RunReport report = explored(file);
    report.verdict = Inconclusive{"time"};
    return report;
}
inline RunReport refused(const std::string& file = "scenarios/canal/bad.json") {
    RunReport report;
    report.command = "explore";
    report.file = file;
    report.place = {file, {3, 7}};
    report.verdict = RefusedFile{file + ":3:7: unknown key"};
    return report;
}
// A test whose expectation is not met.
inline RunReport unmet(const std::string& file = "scenarios/canal/all.json#two") {
    RunReport report = violated(file);
    report.command = "run";
    report.place.path = file.substr(0, file.find('#'));
    report.met = Violated{"/expect/verdict: expected \"passed\", found \"violated\""};
    return report;
}

inline Results results_of(std::vector<RunReport> reports, ResultsKind kind = ResultsKind::kRuns) {
    Results results(kind);
    results.command = "explore";
    results.files = std::move(reports);
    results.files_count = results.cases_count = results.files.size();
    for (const RunReport& report : results.files) {
        results.exit_code = worse_exit_code(results.exit_code, exit_code_of(report));
    }
    return results;
}

inline std::string in_format(const std::string& format, const Results& results) {
    return written(*find_format(format), results);
}

// A takes a unit, tells the servers, and dies; the servers read it in the last step. Which leaks.
inline RunReport drawn(const std::string& name_of_a = "A") {
    RunReport report = violated();
    Finding& finding = report.findings.front();
    Trace& trace = finding.trace;
    trace.steps.clear();
    trace.keys = {"db"};
    trace.parties = {{name_of_a, Doer::kCaller},
                     {"B", Doer::kCaller},
                     {"manager", Doer::kServers},
                     {"clock", Doer::kClock},
                     {"world", Doer::kWorld}};
    trace.fields = {{ShownKind::kCounter, {}, 0, 1},
                    {ShownKind::kBelieved, 0, 0, 0},
                    {ShownKind::kDead, 0, {}, 0},
                    {ShownKind::kAtRest, {}, {}, 0}};
    trace.initial_values = {kNotShown, 0, 0, 1};
    const auto add = [&](std::uint32_t party, const std::string& label,
                         std::vector<ShownChange> changes) {
        TraceStep step;
        step.action = {static_cast<std::uint8_t>(party), ActionKind::kStep, 0};
        step.party = party;
        step.words.label = label;
        step.words.operation = "acquire";
        step.text = trace.parties[party].name + " " + label;
        step.state = "db [1]";
        step.changes = std::move(changes);
        trace.steps.push_back(step);
    };
    add(0, "update_counter db[1]", {{0, 1}, {3, 0}});
    add(0, "notify", {{1, 1}});
    add(0, "dies", {{1, 0}, {2, 1}});
    add(2, "reads the message", {{3, 1}});
    trace.steps[0].event.value = 1;
    trace.steps[2].is_cause = true;
    trace.steps[3].violates = {finding.property};
    trace.history = {{0, 0, HistoryType::kInvoke, Verb::kAcquire, 0},
                     {1, 0, HistoryType::kOk, Verb::kAcquire, 0, 1}};
    trace.messages = {{0, 2, 2, 4, false, false, 0}, {0, 2, 3, 0, false, true, {}}};
    trace.violated = {finding.property};
    finding.schedule = trace.schedule(1);
    return report;
}

// The same, repeated to so many steps.
inline RunReport drawn_long(std::size_t steps) {
    RunReport report = drawn();
    Trace& trace = report.findings.front().trace;
    const TraceStep last = trace.steps.back();
    const TraceStep first = trace.steps.front();
    trace.steps.assign(steps - 1, first);
    trace.steps.push_back(last);
    return report;
}

}  // namespace lockkeeper::testing_reports
