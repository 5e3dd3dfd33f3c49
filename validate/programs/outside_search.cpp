// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/outside_search.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/shrink_actions.hpp"
#include "validate/programs/stepped_search.hpp"

namespace lockkeeper {

bool may_follow_from_others(const SteppedFinding& finding, const OutsideWorld& world) {
    return finding.property != nullptr && world.check.size() > 1 &&
           (finding.property->is(PropertyNumber::kUnexplainedHistory) ||
            (finding.in_probe && finding.property->is(PropertyNumber::kDoubleRelease)));
}

bool OutsideSearch::may_go_on(ChildProcess::Deadline last) const {
    return replays_ < kShrinkReplaysMax && !interrupt_requested() &&
           ChildProcess::Clock::now() < last;
}

// The actions that were possible, up to the end that is looked for; nothing where it does not come.
// kOn: and then on to an end: first come, first served, no more faults; any violation counts.
std::optional<Actions> OutsideSearch::ends_so(const Actions& actions, const SteppedFinding* finding,
                                              Goes goes) {
    ++replays_;
    const std::size_t steps_max =
        actions.size() + (goes == Goes::kOn ? kGoneOnStepsMax : std::size_t{0});
    Actions done;
    try {
        begin_run();
        for (std::size_t next = 0;; ++next) {
            const Actions enabled = possible();
            const auto faults = std::find_if(enabled.begin(), enabled.end(), is_fault);
            const bool has_more =
                next < actions.size() || (next < steps_max && faults != enabled.begin());
            const auto* violated = &broken(enabled);
            const bool looks = finding == nullptr || finding->property != nullptr;
            if (!has_more && looks && violated->empty() && at_rest()) {
                look_at_end();
                violated = &broken(enabled);
            }
            if (!violated->empty()) {
                const bool counts = finding == nullptr || goes == Goes::kOn ||
                                    finding->property == violated->front();
                return counts ? std::optional(done) : std::nullopt;
            }
            if (!has_more) {
                return std::nullopt;
            }
            const Action action =
                next < actions.size()
                    ? actions[next]
                    : enabled[next % static_cast<std::size_t>(faults - enabled.begin())];
            if (std::find(enabled.begin(), enabled.end(), action) != enabled.end()) {
                done.push_back(action);
                go(action);
            }
        }
    } catch (const Misbehaved& error) {
        give_up();
        const bool counts = finding == nullptr
                                ? !is_input(error.kind())
                                : goes == Goes::kOn || finding->misbehaviour == error.kind();
        return counts ? std::optional(done) : std::nullopt;
    } catch (const Stopped&) {
        give_up();
        return std::nullopt;
    }
}

SteppedFinding OutsideSearch::shrink(const SteppedFinding& finding) {
    SteppedFinding best = finding;
    replays_ = 0;
    // Each try would take as long as an answer may take.
    if (finding.misbehaviour == Misbehaviour::kHung || best.actions.empty()) {
        return best;
    }
    const ChildProcess::Deadline last = deadline();
    stop_by({last});
    constexpr ShrinkPass kPasses[] = {ShrinkPass::kParties, ShrinkPass::kRunsOfEach,
                                      ShrinkPass::kJoin};
    best.actions = shrink_actions(
        std::move(best.actions), kPasses, kShrinkReplaysMax,
        {[&](const Actions& candidate) { return ends_so(candidate, &finding, Goes::kToItsEnd); },
         [&] { return may_go_on(last); }});
    return best;
}

std::optional<SteppedFinding> OutsideSearch::try_known(const std::vector<Schedule>& corpus) {
    const ChildProcess::Deadline last = deadline();
    for (const Schedule& known : corpus) {
        for (const Goes goes : {Goes::kToItsEnd, Goes::kOn}) {
            replays_ = 0;
            if (!may_go_on(last)) {
                return std::nullopt;
            }
            const auto actions = ends_so(known.actions, nullptr, goes);
            if (!actions) {
                continue;
            }
            SteppedFinding found;
            found.actions = *actions;
            found.found_by = "corpus";
            const SteppedTrace trace = show(found);
            found.property = trace.violated.empty() ? nullptr : trace.violated.front();
            found.misbehaviour = trace.misbehaviour;
            found.detail = trace.detail;
            found.shown = shown_steps(trace);
            found.in_probe = trace.probe_steps > 0;
            if (found.property != nullptr || found.misbehaviour) {
                return found;
            }
        }
    }
    return std::nullopt;
}

// Before each of the actions, and nothing where the run cannot be driven so.
std::vector<Actions> OutsideSearch::possible_in(const Actions& actions) {
    std::vector<Actions> out;
    ++replays_;
    try {
        begin_run();
        for (const Action action : actions) {
            out.push_back(possible());
            go(action);
        }
    } catch (const Misbehaved&) {
        give_up();
    } catch (const Stopped&) {
        give_up();
    }
    return out;
}

std::vector<std::size_t> OutsideSearch::causes_of(const SteppedFinding& finding) {
    std::vector<std::size_t> causes;
    if (finding.misbehaviour == Misbehaviour::kHung) {
        return causes;
    }
    replays_ = 0;
    const ChildProcess::Deadline last = deadline();
    stop_by({last});
    const std::vector<Actions> possible_before = possible_in(finding.actions);
    for (std::size_t i = 0; i < possible_before.size(); ++i) {
        const auto flipped = flipped_at(finding.actions, i, possible_before[i]);
        if (flipped && !ends_so(*flipped, &finding, Goes::kOn)) {
            causes.push_back(i);
        }
        if (!may_go_on(last)) {
            return {};
        }
    }
    return causes;
}

void OutsideSearch::take_finding(SteppedFinding finding, const OutsideWorld& world,
                                 SteppedResult& result) {
    if (may_follow_from_others(finding, world)) {
        if (!hidden_) {
            hidden_ = std::move(finding);
            hidden_until_ = result.schedules + kVisibleSchedulesMax;
        }
        return;
    }
    result.finding = std::move(finding);
    result.limit = "first violation";
}

void OutsideSearch::take_hidden(SteppedResult& result) {
    if (hidden_ && !result.finding && result.diverged.empty()) {
        result.finding = std::exchange(hidden_, std::nullopt);
        result.limit = "first violation";
        result.complete = false;
    }
}

}  // namespace lockkeeper
