// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/verdict.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

bool ends_as(const OutsideTrace& trace, const OutsideFinding& finding) {
    return finding.property != nullptr
               ? !trace.violated.empty() && trace.violated.front() == finding.property
               : trace.misbehaviour == finding.misbehaviour;
}

Violated misbehaved(Misbehaviour kind, const std::string& detail) {
    return {"misbehaved: " + std::string(name_of(kind)) + ": " + detail};
}

// Returns how a finding and its replays differ; empty: it happens every time.
std::string difference_of(OutsideSearch& search, const OutsideFinding& found,
                          const OutsideFinding& shrunk, const OutsideTrace& trace) {
    if (trace.stopped) {
        return "";
    }
    if (ends_as(trace, shrunk)) {
        return search.repeated_difference(shrunk, trace);
    }
    const OutsideTrace whole = search.show(found);
    std::vector<std::string> steps = shown_steps(whole);
    if (found.shown.size() <= found.actions.size()) {  // a search keeps no steps of a look
        steps.resize(steps.size() - whole.look_steps);
    }
    const std::string difference = step_difference(found.shown, steps);
    return !difference.empty()
               ? difference
               : "what was found does not happen every time: " +
                     (found.property != nullptr ? "P" + std::to_string(found.property->number) +
                                                      " " + std::string(found.property->name)
                                                : std::string(name_of(*found.misbehaviour))) +
                     ": " + to_line({1, found.actions}) +
                     (whole.misbehaviour ? "; then: " + whole.detail : "");
}

// The trace of a finding that there was no time to repeat, in the words of the search.
OutsideTrace as_it_was_found(const OutsideFinding& found) {
    OutsideTrace trace;
    trace.stopped = true;
    trace.misbehaviour = found.misbehaviour;
    trace.detail = found.detail;
    for (std::size_t i = 0; i < std::max(found.shown.size(), found.actions.size()); ++i) {
        TraceStep& step = trace.steps.emplace_back();
        step.action = i < found.actions.size() ? found.actions[i] : Action{};
        step.text = i < found.shown.size() ? found.shown[i] : "(it fails in this step)";
        trace.look_steps += i < found.actions.size() ? 0U : 1U;
    }
    if (found.property != nullptr) {
        trace.violated = {found.property};
        if (!trace.steps.empty()) {
            trace.steps.back().violates = trace.violated;
        }
    }
    return trace;
}

// Returns the first step that differs from the labels of a trace file.
std::string difference_from(const std::vector<std::string>& labels, const OutsideTrace& trace) {
    for (std::size_t i = 0; i < std::min(labels.size(), trace.steps.size()); ++i) {
        const std::string label = trace.steps[i].text + " " + trace.steps[i].result;
        if (!labels[i].empty() && labels[i] != label) {
            return fmt::format("step {}: recorded \"{}\", now \"{}\"", i + 1, labels[i], label);
        }
    }
    return "";
}

// Repeats the same run several times, and returns how one differs.
std::string replayed_difference(OutsideSearch& search, const Schedule& schedule,
                                const OutsideTrace& trace) {
    OutsideFinding run;
    run.misbehaviour = trace.misbehaviour;
    run.actions = schedule.actions;
    return search.repeated_difference(run, trace);
}

Verdict verdict_of(const OutsideResult& result, const OutsideWorld& world) {
    const std::string missing = result.tally.what_is_missing(world);
    if (!result.diverged.empty()) {
        return NotDeterministic{result.diverged};
    }
    if (result.is_cut) {
        return Inconclusive{result.limit};
    }
    return missing.empty() ? Verdict(Passed{}) : Inconclusive{"", missing};
}

Verdict verdict_of(OutsideSearch& search, const Schedule& schedule,
                   const std::vector<std::string>& labels, const OutsideTrace& trace) {
    if (trace.stopped) {
        return Inconclusive{interrupt_requested() ? "interrupted" : "time"};
    }
    if (const std::string answers = replayed_difference(search, schedule, trace);
        !answers.empty()) {
        return NotDeterministic{answers};
    }
    if (trace.misbehaviour) {
        return misbehaved(*trace.misbehaviour, trace.detail);
    }
    if (const std::string difference = difference_from(labels, trace); !difference.empty()) {
        return Diverged{difference};
    }
    if (trace.impossible) {
        return Diverged{"step " + std::to_string(*trace.impossible + 1) + " (" +
                        to_text(schedule.actions[*trace.impossible]) + ") is not possible"};
    }
    if (!trace.violated.empty()) {
        return Violated{};
    }
    return trace.not_judged.empty() ? Verdict(Passed{}) : Inconclusive{"", trace.not_judged};
}

}  // namespace

OutsideVerdict judge_search(OutsideSearch& search, const OutsideResult& result,
                            const OutsideWorld& world, std::uint64_t seed) {
    OutsideVerdict out;
    if (!result.finding) {
        out.verdict = verdict_of(result, world);
        return out;
    }
    const OutsideFinding& found = *result.finding;
    const OutsideFinding shrunk = search.shrink(found);
    out.found_by = found.found_by;
    out.schedule = {seed, shrunk.actions};
    out.trace = search.show(shrunk);
    const bool is_cut_short = out.trace.stopped;
    if (is_cut_short) {
        out.schedule.actions = found.actions;
        out.trace = as_it_was_found(found);
    }
    const std::string difference = difference_of(search, found, shrunk, out.trace);
    if (!difference.empty()) {
        out.verdict = NotDeterministic{difference};
    } else if (found.property != nullptr) {
        out.verdict = Violated{};
        out.property = found.property;
        for (const std::size_t cause :
             is_cut_short ? std::vector<std::size_t>{} : search.causes_of(shrunk)) {
            out.trace.steps.at(cause).is_cause = true;
        }
    } else {
        out.verdict = misbehaved(*found.misbehaviour, found.detail);
        out.misbehaves = out.is_shown = true;
    }
    return out;
}

OutsideVerdict search_and_judge(OutsideSearch& search, OutsideResult& result,
                                const OutsideWorld& world, std::uint64_t seed) {
    result = search.search();
    OutsideVerdict judged = judge_search(search, result, world, seed);
    const auto* differs = std::get_if<NotDeterministic>(&judged.verdict);
    if (differs == nullptr || !search.source().keep_nobody(differs->detail)) {
        return judged;
    }
    OutsideResult again = search.search_again();
    again.seconds = result.seconds += again.seconds;
    OutsideVerdict then = judge_search(search, again, world, seed);
    // Where new processes differ, too, keeping was not the reason; without a run of theirs nobody
    // knows.
    if (!is<NotDeterministic>(then.verdict) && (again.schedules > 0 || again.finding)) {
        result = std::move(again);
        judged = std::move(then);
    }
    return judged;
}

OutsideVerdict judge_replay(OutsideSearch& search, const Schedule& schedule,
                            const std::vector<std::string>& labels) {
    OutsideVerdict out;
    out.schedule = schedule;
    out.trace = search.replay(schedule.actions);
    out.verdict = verdict_of(search, schedule, labels, out.trace);
    out.is_shown = true;
    out.misbehaves = out.trace.misbehaviour.has_value();
    out.property =
        is<Violated>(out.verdict) && !out.misbehaves ? out.trace.violated.front() : nullptr;
    return out;
}

}  // namespace lockkeeper
