#include "reports/program_report.hpp"

#include <utility>

#include "reports/scope.hpp"

namespace lockkeeper {
namespace {

void take_runs(std::uint64_t schedules, std::uint64_t steps, double seconds,
               const OutsideTally& tally, const std::vector<const Property*>& reach,
               RunReport& report) {
    report.answers = tally.answers;
    for (const Property* goal : reach) {
        const bool is_reached = (tally.events & goal->triggers) != 0;
        (is_reached ? report.goals_reached : report.goals_missed).push_back(goal);
    }
    report.fuzzed = FuzzResult{};
    report.fuzzed->schedules = schedules;
    report.fuzzed->steps = steps;
    report.seconds = seconds;
    for (const auto& [why, operations] : tally.passed_over) {
        report.passed_over.push_back({operations, why});
    }
}

// Nothing is known of what a program counts.
void name_parties(const WorldConfig& world, Trace& trace) {
    const TraceSubject subject{&world, 0};
    trace.parties = parties_of(subject, world.callers.size(), "program");
    trace.keys = world.keys;
    for (TraceStep& step : trace.steps) {
        step.words.doer = doer_of(step.action);
        step.words.label = step.text;
        step.party = party_index(step.words.doer, step.action, world.callers.size());
    }
}

}  // namespace

RunReport program_report(const ProgramScenario& scenario) {
    const WorldConfig& world = scenario.world.world;
    RunReport report;
    report.file = scenario.scenario.file;
    report.system = "program";
    report.variant = scenario.program.stepped ? "stepped" : "black-box";
    report.scope = scope_text(world);
    report.short_scope = short_scope_text(world);
    report.seed = scenario.scenario.seed;
    report.checked = scenario.world.check;
    return report;
}

void take_result(const SteppedResult& result, const std::vector<const Property*>& reach,
                 RunReport& report) {
    report.complete = result.complete;
    take_runs(result.schedules, result.steps, result.seconds, result.tally, reach, report);
}

void take_result(const BlackBoxResult& result, const std::vector<const Property*>& reach,
                 RunReport& report) {
    take_runs(result.schedules, result.operations, result.seconds, result.tally, reach, report);
}

void take_run(const SteppedVerdict& judged, const WorldConfig& world,
              const std::string& replay_command, RunReport& report) {
    Trace trace;
    trace.initial_state = judged.trace.initial_state;
    trace.steps = judged.trace.steps;
    trace.violated = judged.trace.violated;
    name_parties(world, trace);
    if (judged.is_shown) {
        report.replayed = trace;
    }
    if (judged.property == nullptr) {
        return;
    }
    Finding finding;
    finding.property = judged.property;
    finding.schedule = judged.schedule;
    finding.trace = std::move(trace);
    finding.found_by = judged.found_by;
    finding.replay_command = replay_command;
    report.findings.push_back(std::move(finding));
}

}  // namespace lockkeeper
