// SPDX-License-Identifier: Apache-2.0

// Replays findings in words. Fresh processes run what is shown: a finding does not count if it
// happens only in processes kept from run to run.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scheduler/search/explore.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {
namespace {

bool has_several_pauses(const std::vector<TraceStep>& steps) {
    return std::count_if(steps.begin(), steps.end(), [](const TraceStep& step) {
               return step.action.kind == ActionKind::kTime;
           }) > 1;
}

TraceStep step_without_end(Action action) {
    TraceStep step;
    step.action = action;
    step.text = "(it fails in this step)";
    return step;
}

// The steps of `trace`, without the look at the end where `other` shows no look.
std::vector<std::string> comparable(const OutsideTrace& trace, const OutsideTrace& other) {
    std::vector<std::string> steps = shown_steps(trace);
    steps.resize(steps.size() - (other.look_steps == 0 ? trace.look_steps : 0));
    return steps;
}

}  // namespace

OutsideTrace OutsideSearch::replay(const std::vector<Action>& actions) {
    source_.stop_by({moment_after(options_.seconds_max)});
    return run_exactly(actions);
}

OutsideTrace OutsideSearch::show(const OutsideFinding& finding) {
    const Moment least = moment_after(kShowSeconds);
    const bool interrupted = interrupt_requested();
    source_.stop_by({interrupted ? least : std::max(deadline(), least), !interrupted});
    return finding.misbehaviour == Misbehaviour::kHung ? run_to_hang(finding)
                                                       : run_exactly(finding.actions);
}

std::string OutsideSearch::repeated_difference(const OutsideFinding& finding,
                                               const OutsideTrace& trace) {
    if (finding.misbehaviour == Misbehaviour::kHung) {
        return "";
    }
    for (int i = 1; i < options_.confirmations; ++i) {
        const OutsideTrace again = show(finding);
        if (again.stopped) {
            return "";
        }
        const std::string difference =
            step_difference(comparable(trace, again), comparable(again, trace));
        const bool complains = again.misbehaviour != finding.misbehaviour;
        if (!difference.empty() && again.impossible) {
            return fmt::format("{}: it is not possible then ({})", difference, again.detail);
        }
        if (!difference.empty()) {
            return complains && again.misbehaviour ? difference + ": " + again.detail : difference;
        }
        if (complains) {
            return fmt::format("after {} steps: first {}, then {}", again.steps.size(),
                               finding.misbehaviour ? finding.detail : "no complaint",
                               again.misbehaviour ? again.detail : "no complaint");
        }
    }
    return "";
}

// Takes the actions up to the first violation or impossible action.
void OutsideSearch::take_into(OutsideTrace& trace, const std::vector<Action>& actions) {
    source_.begin();
    shown_run_.emplace(source_);
    trace.initial_state = source_.describe();
    for (std::size_t i = 0; i < actions.size() && source_.violated().empty(); ++i) {
        if (!source_.is_possible(actions[i], source_.enabled())) {
            trace.impossible = i;
            trace.detail = source_.questions();
            return;
        }
        // Keeps the step even if the code fails in it.
        trace.steps.push_back(step_without_end(actions[i]));
        trace.steps.back() = take_shown(actions[i]);
    }
}

TraceStep OutsideSearch::take_shown(Action action) {
    OutsideStep taken = source_.take(action);
    TraceStep step;
    step.action = action;
    step.text = std::move(taken.text);
    step.result = std::move(taken.result);
    step.state = source_.describe();
    step.violates = source_.violated();
    shown_run_->after(step);
    return step;
}

// Writes whatever the run comes to into the trace. Rethrows errors that are no verdict on the code.
template <class Run>
void OutsideSearch::shown(OutsideTrace& trace, Run run) {
    shown_run_.reset();
    try {
        run();
    } catch (const Misbehaved& error) {
        source_.give_up();
        if (is_input(error.kind())) {
            throw;
        }
        trace.misbehaviour = error.kind();
        trace.detail = error.what();
    } catch (const Stopped&) {
        source_.give_up();
        trace.stopped = true;
    }
    if (shown_run_) {
        shown_run_->finish(trace);
    }
    OutsideTally tally = source_.take_tally();
    trace.remarks = std::move(tally.remarks);
    trace.not_judged = std::move(tally.not_judged);
    trace.calls = source_.calls();
}

template <class Run>
void OutsideSearch::replayed(OutsideTrace& trace, Run run) {
    source_.use_fresh_processes(true);
    try {
        shown(trace, run);
    } catch (...) {
        source_.use_fresh_processes(false);
        throw;
    }
    source_.use_fresh_processes(false);
}

OutsideTrace OutsideSearch::run_to_hang(const OutsideFinding& finding) {
    OutsideTrace trace;
    std::vector<Action> before = finding.actions;
    std::optional<Action> last;
    if (!before.empty() && !finding.in_look) {
        last = before.back();
        before.pop_back();
    }
    replayed(trace, [&] {
        if (!finding.actions.empty()) {
            take_into(trace, before);
            trace.violated = source_.violated();
        }
        if (trace.impossible || !trace.violated.empty()) {
            return;
        }
        trace.misbehaviour = finding.misbehaviour;
        trace.detail = finding.detail;
        if (last) {
            trace.steps.push_back(step_without_end(*last));
        }
    });
    source_.give_up();
    return trace;
}

// A finding of repeated questions is shown in fewer steps, where fewer show it as well.
void OutsideSearch::look_into(OutsideTrace& trace, const std::vector<Action>& actions) {
    trace.looked = true;
    source_.look(Look::kShown, [&](TraceStep& step) { shown_run_->after_look(step); });
    std::vector<TraceStep> steps = source_.steps_of_look();
    trace.violated = source_.violated();
    if (has_several_pauses(steps) && !trace.violated.empty() && shows_in_short(actions) &&
        source_.violated() == trace.violated) {
        steps = source_.steps_of_look();
    }
    trace.steps.insert(trace.steps.end(), steps.begin(), steps.end());
    trace.look_steps = steps.size();
}

// Runs the actions and the short look. False: the code misbehaves, or does something else now.
bool OutsideSearch::shows_in_short(const std::vector<Action>& actions) {
    try {
        source_.begin();
        shown_run_.emplace(source_);
        for (const Action action : actions) {
            if (!source_.is_possible(action, source_.enabled())) {
                source_.give_up();
                return false;
            }
            static_cast<void>(take_shown(action));
        }
        source_.look(Look::kShownShort, [&](TraceStep& step) { shown_run_->after_look(step); });
        return true;
    } catch (const Misbehaved&) {
        source_.give_up();
        return false;
    }
}

// Notes each new violation with the step that caused it, after the look at the end with the last.
void OutsideSearch::note_broken(OutsideTrace& trace) {
    for (const Property* property : source_.violated()) {
        if (std::find(trace.violated.begin(), trace.violated.end(), property) ==
            trace.violated.end()) {
            trace.violated.push_back(property);
            if (!trace.steps.empty()) {
                trace.steps.back().violates.push_back(property);
            }
        }
    }
}

void OutsideSearch::walk_into(OutsidePlace& place, const std::vector<Action>& actions,
                              const NextStep& next) {
    OutsideTrace& trace = place.trace;
    source_.begin();
    shown_run_.emplace(source_);
    trace.initial_state = source_.describe();
    for (;;) {
        place.states.push_back(source_.knows_states() ? source_.key() : "");
        place.possible = source_.enabled();
        static_cast<void>(broken(place.possible));
        note_broken(trace);
        const std::size_t done = trace.steps.size();
        const std::optional<Action> action = done < actions.size() ? std::optional(actions[done])
                                             : next                ? next(place.possible)
                                                                   : std::nullopt;
        if (!action) {
            break;
        }
        if (!source_.is_possible(*action, place.possible)) {
            trace.impossible = done;
            break;
        }
        trace.steps.push_back(step_without_end(*action));
        trace.steps.back() = take_shown(*action);
        trace.steps.back().violates.clear();
    }
    trace.deadlocked = source_.is_deadlock(place.possible);
    trace.all_finished = source_.finished();
    if (source_.at_rest()) {
        trace.looked = true;
        source_.look(Look::kShown);
        for (const TraceStep& step : source_.steps_of_look()) {
            place.look.push_back(shown_step(step.text, step.result));
        }
        note_broken(trace);
    }
}

OutsidePlace OutsideSearch::walk(const std::vector<Action>& actions, const NextStep& next) {
    OutsidePlace place;
    source_.stop_by({moment_after(options_.seconds_max)});
    shown(place.trace, [&] { walk_into(place, actions, next); });
    return place;
}

OutsideTrace OutsideSearch::run_exactly(const std::vector<Action>& actions) {
    OutsideTrace trace;
    replayed(trace, [&] {
        take_into(trace, actions);
        if (trace.impossible) {
            return;
        }
        trace.violated = broken(source_.enabled());
        if (trace.violated.empty() && source_.at_rest()) {
            look_into(trace, actions);
        }
        if (!trace.steps.empty()) {
            trace.steps.back().violates = trace.violated;
        }
    });
    return trace;
}

}  // namespace lockkeeper
