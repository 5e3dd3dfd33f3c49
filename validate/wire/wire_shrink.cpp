// SPDX-License-Identifier: Apache-2.0

// Replaying what a search found. What is shown was run with fresh processes: a
// finding that only clients have which were kept from run to run is none.
#include <algorithm>

#include <fmt/format.h>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/shrink_actions.hpp"
#include "validate/wire/wire_search.hpp"

namespace lockkeeper::wire {

const std::vector<const Property*>& WireSearch::broken(const Actions& enabled) {
    if (run_.is_deadlock(enabled)) {
        run_.note_deadlock();
    }
    return run_.violated();
}

SteppedTrace WireSearch::replay(const Actions& actions) {
    wire_.stop_by({ChildProcess::after(options_.seconds_max)});
    return run_exactly(actions, false);
}

SteppedTrace WireSearch::show(const SteppedFinding& finding) {
    const ChildProcess::Deadline least = ChildProcess::after(kShowSeconds);
    const bool interrupted = interrupt_requested();
    wire_.stop_by({interrupted ? least : std::max(deadline(), least), !interrupted});
    if (finding.misbehaviour != Misbehaviour::kHung) {
        return run_exactly(finding.actions, false);
    }
    // What hangs is not waited for again.
    Actions before = finding.actions;
    TraceStep last;
    last.text = "(the caller hangs in this step)";
    if (!before.empty()) {
        last.action = before.back();
        before.pop_back();
    }
    SteppedTrace trace = run_exactly(before, true);
    trace.steps.push_back(last);
    trace.misbehaviour = finding.misbehaviour;
    trace.detail = finding.detail;
    give_up();
    return trace;
}

std::string WireSearch::repeated_difference(const SteppedFinding& finding,
                                            const SteppedTrace& trace) {
    if (finding.misbehaviour == Misbehaviour::kHung) {
        return "";
    }
    const auto shown = [&](const SteppedTrace& of) {
        std::vector<std::string> steps = shown_steps(of);
        steps.resize(steps.size() - of.probe_steps);
        return steps;
    };
    for (int i = 1; i < kConfirmations; ++i) {
        const SteppedTrace again = show(finding);
        if (again.stopped) {
            return "";
        }
        if (again.misbehaviour != finding.misbehaviour) {
            return fmt::format("after {} steps: first {}, then {}", again.steps.size(),
                               finding.misbehaviour ? finding.detail : "no complaint",
                               again.misbehaviour ? again.detail : "no complaint");
        }
        if (std::string difference = step_difference(shown(trace), shown(again));
            !difference.empty()) {
            return difference;
        }
    }
    return "";
}

// Up to the first violation or impossible action.
void WireSearch::take_into(SteppedTrace& trace, const Actions& actions) {
    begin_run();
    trace.initial_state = run_.describe();
    for (std::size_t i = 0; i < actions.size() && run_.violated().empty(); ++i) {
        const Actions enabled = run_.enabled();
        if (std::find(enabled.begin(), enabled.end(), actions[i]) == enabled.end()) {
            trace.impossible = i;
            return;
        }
        TraceStep& shown = trace.steps.emplace_back();  // also where the caller fails in it
        shown.action = actions[i];
        shown.text = "(the caller fails in this step)";
        const WireRun::Step taken = run_.take(actions[i]);
        shown.text = taken.text;
        shown.result = taken.result;
        shown.state = run_.describe();
        shown.violates = run_.violated();
    }
}

SteppedTrace WireSearch::run_exactly(const Actions& actions, bool stops_at_end) {
    SteppedTrace trace;
    wire_.set_freshness(Freshness::kForked);
    try {
        take_into(trace, actions);
        if (trace.impossible || stops_at_end) {
            trace.calls = run_.calls();
            wire_.set_freshness(options_.freshness);
            return trace;
        }
        if (run_.violated().empty() && run_.is_deadlock(run_.enabled())) {
            run_.note_deadlock();
        }
        trace.violated = run_.violated();
        if (trace.violated.empty() && run_.at_rest()) {
            trace.probed = true;
            run_.probe(true);
            trace.violated = run_.violated();
            const std::vector<TraceStep>& steps = run_.probe_steps();
            trace.steps.insert(trace.steps.end(), steps.begin(), steps.end());
            trace.probe_steps = steps.size();
        }
        if (!trace.steps.empty()) {
            trace.steps.back().violates = trace.violated;
        }
    } catch (const Misbehaved& error) {
        give_up();
        trace.misbehaviour = error.kind();
        trace.detail = error.what();
    } catch (const Stopped&) {
        give_up();
        trace.stopped = true;
    }
    OutsideTally tally = run_.take_tally();
    trace.remarks = std::move(tally.remarks);
    trace.not_judged = std::move(tally.not_judged);
    trace.calls = run_.calls();
    wire_.set_freshness(options_.freshness);
    return trace;
}

}  // namespace lockkeeper::wire
