// SPDX-License-Identifier: Apache-2.0

// Replaying what a search found, and driving one run for those that shorten and explain it.
#include <algorithm>
#include <utility>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/shrink_actions.hpp"
#include "validate/programs/stepped_search.hpp"

namespace lockkeeper {
namespace {

// The clock may go on further at once than a search lets it.
bool is_possible(Action action, const Actions& enabled) {
    return std::any_of(enabled.begin(), enabled.end(), [&](Action other) {
        return action == other ||
               (action.kind == ActionKind::kTime && other.kind == ActionKind::kTime &&
                action.argument > other.argument);
    });
}

bool has_several_pauses(const std::vector<TraceStep>& steps) {
    return std::count_if(steps.begin(), steps.end(), [](const TraceStep& step) {
               return step.action.kind == ActionKind::kTime;
           }) > 1;
}

TraceStep step_without_end(Action action) {
    TraceStep step;
    step.action = action;
    step.text = "(the program fails in this step)";
    return step;
}

}  // namespace

const std::vector<const Property*>& SteppedSearch::broken(const Actions& enabled) {
    if (run_.is_deadlock(enabled)) {
        run_.note_deadlock();
    }
    return run_.violated();
}

SteppedTrace SteppedSearch::replay(const Actions& actions) {
    program_.stop_by({ChildProcess::after(options_.seconds_max)});
    SteppedTrace trace = run_exactly(actions);
    trace.calls = run_.calls();
    return trace;
}

SteppedTrace SteppedSearch::show(const SteppedFinding& finding) {
    const ChildProcess::Deadline least = ChildProcess::after(kShowSeconds);
    const bool interrupted = interrupt_requested();
    program_.stop_by({interrupted ? least : std::max(deadline(), least), !interrupted});
    SteppedTrace trace = finding.misbehaviour == Misbehaviour::kHung ? run_to_hang(finding)
                                                                     : run_exactly(finding.actions);
    trace.calls = run_.calls();
    return trace;
}

std::string SteppedSearch::repeated_difference(const SteppedFinding& finding,
                                               const SteppedTrace& trace) {
    if (finding.misbehaviour == Misbehaviour::kHung) {
        return "";
    }
    // A run that was cut may be at rest by chance, and its replay then looks.
    const auto shown = [&](const SteppedTrace& of) {
        std::vector<std::string> steps = shown_steps(of);
        steps.resize(steps.size() - (trace.probed ? 0 : of.probe_steps));
        return steps;
    };
    for (int i = 1; i < kConfirmations; ++i) {
        const SteppedTrace again = show(finding);
        if (again.stopped) {
            return "";
        }
        if (std::string difference = step_difference(shown(trace), shown(again));
            !difference.empty()) {
            return difference;
        }
    }
    return "";
}

// Up to the first violation or impossible action.
void SteppedSearch::take_into(SteppedTrace& trace, const Actions& actions) {
    run_.begin();
    trace.initial_state = run_.describe();
    for (std::size_t i = 0; i < actions.size() && run_.violated().empty(); ++i) {
        const Actions enabled = run_.enabled();
        if (!is_possible(actions[i], enabled)) {
            trace.impossible = i;
            return;
        }
        // Also where the program fails in it.
        trace.steps.push_back(step_without_end(actions[i]));
        const SteppedRun::Step taken = run_.take(actions[i]);
        TraceStep& shown = trace.steps.back();
        shown.text = taken.text;
        shown.result = taken.result;
        shown.state = run_.describe();
        shown.violates = run_.violated();
    }
}

SteppedTrace SteppedSearch::run_to_hang(const SteppedFinding& finding) {
    SteppedTrace trace;
    Actions before = finding.actions;
    std::optional<Action> last;
    if (!before.empty() && !finding.in_probe) {
        last = before.back();
        before.pop_back();
    }
    try {
        if (!finding.actions.empty()) {
            take_into(trace, before);
        }
        if (!trace.impossible && run_.violated().empty()) {
            trace.misbehaviour = finding.misbehaviour;
            trace.detail = finding.detail;
        }
    } catch (const Misbehaved& error) {
        trace.misbehaviour = error.kind();
        trace.detail = error.what();
        last.reset();
    } catch (const Stopped&) {
        trace.stopped = true;
        last.reset();
    }
    program_.kill();
    if (last && !trace.impossible) {
        trace.steps.push_back(step_without_end(*last));
    }
    return trace;
}

// The growing pauses decide. What one pause shows as well is shown so.
void SteppedSearch::probe_into(SteppedTrace& trace, const Actions& actions) {
    trace.probed = true;
    run_.probe();
    std::vector<TraceStep> steps = run_.probe_steps();
    trace.violated = run_.violated();
    if (has_several_pauses(steps) && !trace.violated.empty()) {
        const bool is_shown = shows_with_one_pause(actions) && run_.violated() == trace.violated;
        steps = is_shown ? run_.probe_steps() : steps;
    }
    trace.steps.insert(trace.steps.end(), steps.begin(), steps.end());
    trace.probe_steps = steps.size();
}

// False: the program fails in it.
bool SteppedSearch::shows_with_one_pause(const Actions& actions) {
    try {
        run_.begin();
        for (const Action action : actions) {
            run_.take(action);
        }
        run_.probe(SteppedRun::Pauses::kOne);
        return true;
    } catch (const Misbehaved&) {
        program_.kill();
        return false;
    }
}

SteppedTrace SteppedSearch::run_exactly(const Actions& actions) {
    SteppedTrace trace;
    try {
        take_into(trace, actions);
        if (trace.impossible) {
            return trace;
        }
        if (run_.violated().empty() && run_.is_deadlock(run_.enabled())) {
            run_.note_deadlock();
        }
        trace.violated = run_.violated();
        if (trace.violated.empty() && run_.at_rest()) {
            probe_into(trace, actions);
        }
        if (!trace.steps.empty()) {
            trace.steps.back().violates = trace.violated;
        }
    } catch (const Misbehaved& error) {
        program_.kill();
        if (is_input(error.kind())) {
            throw;
        }
        trace.misbehaviour = error.kind();
        trace.detail = error.what();
    } catch (const Stopped&) {
        program_.kill();
        trace.stopped = true;
    }
    return trace;
}

}  // namespace lockkeeper
