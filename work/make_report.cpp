// SPDX-License-Identifier: Apache-2.0
#include "work/make_report.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "scenarios/registry/time_units.hpp"
#include "work/findings.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {

void note_goals(const Job& job, const std::vector<const Property*>& reached, RunReport& report) {
    for (const Property* goal : job.reach) {
        const bool is_reached = std::find(reached.begin(), reached.end(), goal) != reached.end();
        (is_reached ? report.goals_reached : report.goals_missed).push_back(goal);
    }
}

RunReport begin_report(const Job& job, const std::string& command, const std::string& strategy) {
    RunReport report;
    report.command = command;
    report.file = job.file;
    report.place.at = place_of(job.scenario);
    report.about = job.scenario.about;
    report.system = job.scenario.system;
    report.variant = job.scenario.variant;
    report.strategy = strategy;
    report.scope = scope_of(job);
    report.short_scope = short_scope_text(job.runner->world());
    report.seed = job.scenario.seed;
    report.checked = job.check;
    return report;
}

void conclude(RunReport& report, Verdict verdict) {
    const bool is_unreached = is<Passed>(verdict) && !report.goals_missed.empty();
    report.verdict =
        is_unreached ? Unreached{"goal " + names_text(report.goals_missed)} : std::move(verdict);
    report.is_interrupted = interrupt_requested();
}

void add_exploration(const Job& job, ExploreResult result, RunReport& report) {
    // The states behind the last step of a violation are not expanded; the step was taken all the
    // same.
    for (const FoundViolation& violation : result.violations) {
        const bool is_path = violation.cycle_start == kNoStep;
        result.depth =
            std::max<std::uint64_t>(result.depth, is_path ? violation.schedule.actions.size() : 0);
    }
    report.complete = result.complete;
    report.seconds = result.seconds_before + result.seconds + result.graph_seconds;
    // A goal missed before a limit or a violation ended the search says nothing.
    note_goals(job, result.reached, report);
    conclude(report, result.verdict);
    report.explored = std::move(result);
}

void add_fuzzing(const Job& job, FuzzResult result, RunReport& report) {
    report.seconds = result.seconds;
    note_goals(job, result.reached, report);
    conclude(report, result.verdict);
    report.fuzzed = std::move(result);
}

namespace {

// Whoever ends a run of millions of steps does not wait until all of them are written: the steps up
// to the last violation stay, or as many from the beginning as a person looks at.
std::string keep_first_steps(Trace& trace) {
    constexpr std::size_t kKeptMax = 10'000;
    const auto last = std::find_if(trace.steps.rbegin(), trace.steps.rend(),
                                   [](const TraceStep& step) { return !step.violates.empty(); });
    const std::size_t taken = trace.steps.size();
    const std::size_t kept =
        std::max(kKeptMax, static_cast<std::size_t>(trace.steps.rend() - last));
    if (taken <= kept) {
        return "";
    }
    trace.steps.resize(kept);
    std::erase_if(trace.history, [&](const HistoryEntry& entry) { return entry.step >= kept; });
    std::erase_if(trace.messages, [&](const TraceMessage& message) { return message.sent > kept; });
    for (TraceMessage& message : trace.messages) {
        message.arrives = message.arrives > kept ? 0 : message.arrives;
    }
    std::erase_if(trace.overlaps,
                  [&](const Overlap& overlap) { return overlap.first_step > kept; });
    for (Overlap& overlap : trace.overlaps) {
        overlap.last_step = std::min(overlap.last_step, kept);
    }
    return fmt::format("after step {}, of which the first {} are kept", taken, kept);
}

Verdict verdict_of_cut(const std::string& kept) {
    const std::string limit = interrupt_requested() ? "interrupted" : "time";
    return kept.empty() ? Inconclusive{limit}
                        : Inconclusive{limit, fmt::format("ended by limit: {}, {}", limit, kept)};
}

}  // namespace

void add_run(const Job& job, Trace trace, OnDivergence on_divergence, RunReport& report) {
    std::vector<const Property*> reached;
    for (const TraceStep& step : trace.steps) {
        for (const Property* goal : job.reach) {
            if ((goal->triggers & step.event.what) != 0) {
                reached.push_back(goal);
            }
        }
    }
    note_goals(job, reached, report);
    const std::string kept = trace.is_cut ? keep_first_steps(trace) : "";
    for (const Property* property : trace.violated) {
        report.findings.push_back(finding_in(job, trace, property, report.seed));
    }
    if (!trace.divergences.empty() && on_divergence == OnDivergence::kStop) {
        const Divergence& first = trace.divergences.front();
        conclude(report, Diverged{"step " + std::to_string(first.step + 1) + ": " + first.reason});
    } else if (!trace.violated.empty()) {
        conclude(report, Violated{});
    } else if (trace.is_cut) {
        conclude(report, verdict_of_cut(kept));
    } else if (trace.deadlocked) {
        conclude(report, Stuck{});
    } else if (trace.time_is_over) {
        conclude(report, Inconclusive{"", std::string(kTimeIsOver)});
    } else {
        conclude(report, Passed{});
    }
    report.replayed = std::move(trace);
}

void compare_with_record(const RecordedTrace& recorded, const Job& job, RunReport& report) {
    for (Finding& finding : report.findings) {
        finding.replay_command = job.program + " replay " + shell_quoted(report.file);
    }
    if (is<Passed>(report.verdict) && !recorded.property.empty()) {
        report.verdict =
            Diverged{"the recorded violation of " + recorded.property + " does not happen"};
    }
}

namespace {

std::string joined(const std::set<std::uint16_t>& numbers) {
    std::string text;
    for (const std::uint16_t number : numbers) {
        text += (text.empty() ? "" : ",") + std::to_string(number);
    }
    return text.empty() ? "none" : text;
}

}  // namespace

std::string scope_text(const WorldConfig& world) {
    std::set<std::uint16_t> max_per;
    std::set<std::uint16_t> buckets;
    bool follows = false;
    bool for_ever = false;
    for (const CallerConfig& caller : world.callers) {
        for_ever = for_ever || caller.repeats_forever;
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire && operation.verb != Verb::kRelease) {
                continue;
            }
            max_per.insert(operation.place_capacity);
            if (operation.follows_resizes) {
                follows = true;
            } else {
                buckets.insert(operation.places);
            }
        }
    }
    if (follows) {
        buckets.insert(world.views.begin(), world.views.end());
    }
    std::string text = counted(world.callers.size(), "caller") + ", " +
                       counted(world.keys.size(), "key") + ", max_per " + joined(max_per) +
                       ", buckets " + joined(buckets) + ", crashes " +
                       std::to_string(world.crashes_max);
    if (world.resizes_max() > 0) {
        text += ", resizes " + std::to_string(world.resizes_max());
    }
    return text + (for_ever ? ", scripts repeat for ever" : "");
}

std::string short_scope_text(const WorldConfig& world) {
    std::string text = counted(world.callers.size(), "caller");
    text +=
        ", " + std::to_string(world.crashes_max) + (world.crashes_max == 1 ? " crash" : " crashes");
    if (world.resizes_max() > 0) {
        text += ", " + counted(world.resizes_max(), "resize");
    }
    return text;
}

std::string scope_of(const RegisteredSystem& system, const Scenario& scenario,
                     const WorldConfig& world) {
    const ScenarioParameters& parameters = scenario.parameters;
    std::string text = scope_text(world);
    if (knows(system.vocabulary, FormatKey::kManager)) {
        text += parameters.has_manager
                    ? ", manager_max_per " + std::to_string(parameters.manager_max_per)
                    : ", no manager";
        text += ", max_decr_tries " + (parameters.max_decr_tries
                                           ? std::to_string(*parameters.max_decr_tries)
                                           : std::string("unlimited"));
        text += parameters.tables.empty() ? ", cold" : ", warm";
    }
    for (const auto* numbers : {&parameters.own, &parameters.faults}) {
        for (const auto& [name, number] : *numbers) {
            text += ", " + name + " " + std::to_string(number);
        }
    }
    return text;
}

std::string scope_of(const Job& job) {
    std::string text = scope_of(*job.system, job.scenario, job.runner->world());
    const Vocabulary& words = job.system->vocabulary;
    const auto fitting = with_times_that_fit(words, job.scenario);
    const auto* const scenario = std::get_if<Scenario>(&fitting);
    if (scenario != nullptr && words.limits_of_time) {
        text += ", " + words.limits_of_time(*scenario);
    }
    if (scenario != nullptr && scenario->parameters.time_unit > 1) {
        text += ", time in units of " + std::to_string(scenario->parameters.time_unit);
    }
    return text;
}

}  // namespace lockkeeper
