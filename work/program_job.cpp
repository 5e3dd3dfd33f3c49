// SPDX-License-Identifier: Apache-2.0
#include "work/program_job.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "scenarios/cases.hpp"
#include "scenarios/registry/overlay.hpp"
#include "validate/outside/grant_units.hpp"
#include "validate/programs/program.hpp"
#include "validate/programs/tasks_run.hpp"
#include "work/make_report.hpp"
#include "work/trace_file.hpp"

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

// For a run that could not be run again: only the texts of its steps are known.
void name_parties(const WorldConfig& world, const std::string& system, Trace& trace) {
    const TraceSubject subject{&world, 0};
    trace.parties = parties_of(subject, world.callers.size(), system);
    trace.keys = world.keys;
    for (TraceStep& step : trace.steps) {
        step.words.doer = doer_of(step.action);
        step.words.label = step.text;
        step.party = party_index(step.words.doer, step.action, world.callers.size());
    }
}

RunReport begin_program_report(const ProgramScenario& scenario, const std::string& command) {
    const WorldConfig& world = scenario.world.world;
    RunReport report;
    report.command = command;
    report.file = scenario.scenario.file;
    report.place.at = place_of(scenario.scenario);
    report.system = "program";
    report.variant = scenario.program.is_tasks  ? "tasks"
                     : scenario.program.stepped ? "stepped"
                                                : "black-box";
    report.scope = scope_text(world);
    report.short_scope = short_scope_text(world);
    report.seed = scenario.scenario.seed;
    report.checked = scenario.world.check;
    if (asks_for_several(world)) {
        std::erase_if(report.checked, [](const Property* property) {
            return property->is(PropertyNumber::kUnexplainedHistory);
        });
    }
    return report;
}

// The arguments that run this scenario again, apart from the file: see outside_words.
std::vector<std::string> words_behind_validate(const ProgramJob& job) {
    if (!job.wire) {
        std::vector<std::string> words{job.program.is_tasks ? "--tasks" : "--program",
                                       job.program.command};
        if (!job.program.keeps_promises) {
            words.insert(words.end(), {"--promises", "any"});
        }
        return words;
    }
    const wire::WirePlan& plan = *job.wire;
    std::vector<std::string> words{"--wire", name_of(plan.server), "--client", plan.command};
    if (plan.freshness != wire::Freshness::kKept) {
        const auto which = static_cast<std::size_t>(plan.freshness);
        words.insert(words.end(), {"--processes", wire::kFreshnesses[which]});
    }
    if (!plan.outside.command.empty()) {
        words.insert(words.end(), {"--server-command", plan.outside.command});
    }
    if (!plan.outside.framing.empty()) {
        words.insert(words.end(), {"--framing", plan.outside.framing});
    }
    return words;
}

}  // namespace

Finding finding_of(const ProgramJob& job, const Property* property, const Schedule& schedule,
                   Trace trace) {
    Finding finding;
    finding.property = property;
    finding.schedule = schedule;
    finding.trace = std::move(trace);
    finding.replay_command = job.replay_command(to_line(schedule));
    finding.command = job.command();
    finding.outside = words_behind_validate(job);
    return finding;
}

namespace {

// A run that breaks a property becomes a finding.
void take_run(const OutsideVerdict& judged, const ProgramJob& job, RunReport& report) {
    Trace trace = static_cast<const Trace&>(judged.trace);
    if (trace.parties.empty()) {
        name_parties(job.world.world, report.system, trace);
    }
    if (judged.is_shown) {
        report.replayed = trace;
    }
    if (judged.property == nullptr) {
        return;
    }
    Finding finding = finding_of(job, judged.property, judged.schedule, std::move(trace));
    finding.found_by = judged.found_by;
    report.findings.push_back(std::move(finding));
}

void search_or_replay(ProgramJob& job, OutsideSearch& search, const LastWords& last_words,
                      Watcher& watcher) {
    RunReport& report = job.report;
    SteppedAnswer& answer = report.details.emplace<SteppedAnswer>();
    answer.ticks_max = job.world.ticks_max;
    answer.tick_width = job.world.tick_width;
    answer.has_ticks = !job.wire.has_value();
    const auto take = [&](const OutsideVerdict& judged) {
        conclude(report, judged.verdict);
        take_run(judged, job, report);
        answer.is_cut_short = judged.trace.stopped;
        answer.misbehaves = judged.misbehaves;
        answer.last_words = last_words();
        answer.remarks.insert(judged.trace.remarks.begin(), judged.trace.remarks.end());
        if (judged.is_shown || judged.property != nullptr) {
            answer.calls = judged.trace.calls;
        }
    };
    if (job.replayed) {
        take(judge_replay(search, *job.replayed, job.labels));
        return;
    }
    OutsideResult& result = answer.searched.emplace();
    const OutsideVerdict judged = search_and_judge(search, result, job.world, report.seed);
    watcher.wipe();
    answer.calls = result.calls;
    answer.remarks = result.tally.remarks;
    answer.remarks.merge(result.tally.remarks_of_open());
    report.complete = result.complete;
    take_runs(result.schedules, result.steps, result.seconds, result.tally, job.reach, report);
    take(judged);
}

// The last words of a client that has misbehaved.
std::string last_words_of(wire::Wire& held) {
    for (std::size_t caller = 0; caller < held.callers(); ++caller) {
        if (const std::string& words = held.client(caller).last_words(); !words.empty()) {
            return words;
        }
    }
    return "";
}

void search_at_wire(ProgramJob& job, const OutsideOptions& options, Watcher& watcher,
                    const UseOfSearch& use) {
    const wire::WirePlan& plan = *job.wire;
    try {
        wire::Wire held(settings_of(plan, job.world));
        OutsideOptions asked = options;
        asked.reduces = plan.reduces;
        wire::WireSearch search(held, job.world, plan.scope, asked);
        try {
            use(search, [&] { return last_words_of(held); });
        } catch (const Misbehaved& error) {
            watcher.wipe();
            throw refused_program(plan.command, {error.kind(), error.what(), last_words_of(held)});
        }
    } catch (const wire::ServerError& error) {
        watcher.wipe();
        conclude(job.report, Error{error.what()});
    }
}

// Limits that both levels have.
void take_limits(const ScenarioLimits& limits, std::uint64_t& schedules_max,
                 std::uint64_t& steps_max, double& seconds_max) {
    schedules_max = limits.schedules_max.value_or(schedules_max);
    steps_max = limits.steps_max.value_or(steps_max);
    seconds_max = limits.seconds_max.value_or(seconds_max);
}

}  // namespace

void take_replayed(ProgramJob& job, const RecordedTrace* trace,
                   const std::optional<std::string>& choices) {
    if (trace != nullptr && (choices || (!job.wire && !job.program.stepped))) {
        throw BadInput(
            {job.report.file, "", "a trace has its own choices, and is replayed step by step"});
    }
    if (trace != nullptr) {
        job.replayed = trace->schedule;
        job.labels = trace->labels;
    } else if (choices) {
        job.replayed = schedule_of_flag("--replay-choices", *choices);
    }
}

OutsideOptions stepped_options_of(const ProgramJob& job) {
    OutsideOptions options;
    options.seed = job.report.seed;
    take_limits(job.scenario.limits, options.schedules_max, options.steps_max, options.seconds_max);
    return options;
}

BlackBoxOptions black_box_options_of(const ProgramJob& job) {
    BlackBoxOptions options;
    options.seed = job.report.seed;
    take_limits(job.scenario.limits, options.schedules_max, options.operations_max,
                options.seconds_max);
    options.check.stop = interrupt_requested;
    options.check.ladder = false;
    options.check.seconds_max = std::min(options.check.seconds_max, options.seconds_max);
    return options;
}

ProgramJob make_program_job(ProgramScenario scenario, const std::string& command) {
    RunReport report = begin_program_report(scenario, command);
    if (scenario.program.is_tasks) {
        const std::string faults = fmt::format(
            ", cancels {}, failures {}{}", scenario.world.cancels_max, scenario.world.failures_max,
            scenario.program.keeps_promises ? "" : ", orders not kept");
        report.scope += faults;
        report.short_scope += faults;
    }
    return {std::move(scenario), {}, {}, {}, {}, std::move(report)};
}

ProgramJob make_wire_job(wire::WireScenario scenario, const std::string& command) {
    RunReport report = begin_program_report(scenario, command);
    report.system = "wire";
    report.variant = name_of(scenario.plan.server);
    report.about = scenario.scenario.about;
    const std::string faults = faults_text(scenario.plan.scope, scenario.world.world);
    report.scope += faults;
    report.short_scope += faults;
    wire::WirePlan plan = std::move(scenario.plan);
    return {std::move(scenario), std::move(plan), {}, {}, {}, std::move(report)};
}

void with_search(ProgramJob& job, const OutsideOptions& options, Watcher& watcher,
                 const UseOfSearch& use) {
    if (job.wire) {
        search_at_wire(job, options, watcher, use);
        return;
    }
    Program program(job.program);
    try {
        const LastWords last_words = [&] { return program.last_words(); };
        if (job.program.is_tasks) {
            TasksSearch search(program, job.world, options);
            use(search, last_words);
        } else {
            SteppedSearch search(program, job.world, options);
            use(search, last_words);
        }
    } catch (const Misbehaved& error) {
        watcher.wipe();
        program.kill();
        throw refused_program(job.program.command,
                              {error.kind(), error.what(), program.last_words()});
    }
}

void run_stepped(ProgramJob& job, OutsideOptions options, Watcher& watcher) {
    options.progress = [&](const FuzzProgress& progress) { watcher.show(progress); };
    try {
        with_search(job, options, watcher, [&](OutsideSearch& search, const LastWords& last_words) {
            search_or_replay(job, search, last_words, watcher);
        });
    } catch (const Stopped&) {
        watcher.wipe();
        SteppedAnswer none;
        none.searched.emplace();
        none.has_ticks = false;
        job.report.details = std::move(none);
        conclude(job.report, Inconclusive{interrupt_requested() ? "interrupted" : "time"});
    }
}

void run_recorded(ProgramJob& job, BlackBoxOptions options, const std::string& model,
                  Watcher& watcher) {
    RunReport& report = job.report;
    options.progress = [&](const FuzzProgress& progress) { watcher.show(progress); };
    BlackBoxResult result;
    try {
        result = run_black_box(job.program, job.world, options);
    } catch (const Misbehaved& error) {
        throw refused_program(job.program.command, error);
    }
    watcher.wipe();
    if (!result.refused.empty()) {
        throw BadInput({"--model " + model, "", result.refused});
    }
    take_runs(result.schedules, result.operations, result.seconds, result.tally, job.reach, report);
    conclude(report, black_box_verdict(report, job.world, result, model));
    report.details = BlackBoxAnswer{std::move(result), model};
}

Finding without_the_look_at_the_end(const Finding& finding) {
    Finding shorter = finding;
    shorter.trace.steps.resize(shorter.schedule.actions.size());
    return shorter;
}

// Files of one name, the cases of one file, and several clients may share a directory. A
// fingerprint of where the scenario stands, what it says and who is tested tells them apart, and is
// the same from run to run.
std::string history_name(const ProgramJob& job, std::uint64_t seed) {
    const NamedCase named = named_case(job.report.file);
    const std::filesystem::path file(named.file);
    std::string name = file.stem().string();
    if (!named.name.empty()) {
        name += "-" + named.name;
    }
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return letter == ':' || letter == '/'; }, '-');
    std::string whole = file.lexically_normal().string();
    for (const std::string& more : {named.name, job.command(), identity_of(job.scenario)}) {
        whole += '\0' + more;
    }
    const std::uint64_t hash = XXH3_64bits(whole.data(), whole.size());
    return fmt::format("{}-{}-{:08x}.history.jsonl", name, seed, hash >> 32U);
}

void write_history(ProgramJob& job, const std::string& directory, const OutputRule& rule) {
    const auto* recorded = std::get_if<BlackBoxAnswer>(&job.report.details);
    const auto* stepped = std::get_if<SteppedAnswer>(&job.report.details);
    if ((recorded == nullptr && stepped == nullptr) ||
        (stepped != nullptr && stepped->calls.history.records.empty())) {
        return;
    }
    const std::uint64_t later = recorded != nullptr ? recorded->result.schedules - 1 : 0;
    const std::string path = directory + "/" + history_name(job, job.report.seed + later);
    OutputClaim(path, rule)
        .write(marked_history(recorded != nullptr ? recorded->result.history
                                                  : stepped->calls.history));
    job.report.files_written.push_back(path);
}

BadInput refused_program(const std::string& command, const Misbehaved& error) {
    // An error of the program's own code is told by the program, and in full.
    const bool is_told = error.kind() == Misbehaviour::kScriptError;
    const std::string said = is_told ? "" : last_complaint(error.last_words());
    return BadInput({command, "",
                     std::string(name_of(error.kind())) + ": " + error.what() +
                         (said.empty() ? "" : "; it said " + said)});
}

}  // namespace lockkeeper
