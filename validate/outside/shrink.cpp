// SPDX-License-Identifier: Apache-2.0

// Making a finding short, and finding out which of its steps it needs: candidates are run from the
// beginning, and actions that are not possible are passed over.
#include <algorithm>

#include "scheduler/search/explore.hpp"
#include "scheduler/shrink/shrink_actions.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {
namespace {

using Actions = std::vector<Action>;

}  // namespace

const std::vector<const Property*>& OutsideSearch::broken(const Actions& enabled) {
    if (source_.violated().empty() && source_.is_deadlock(enabled)) {
        source_.note_deadlock();
    }
    return source_.violated();
}

bool OutsideSearch::may_go_on(Moment last) const {
    return replays_ < kShrinkReplaysMax && !is_interrupted() && SteadyClock::now() < last;
}

// Returns the actions that were possible, up to the wanted end; nothing if the run does not reach
// it. kOn: the run then takes possible steps in turn, without faults, and any violation counts.
std::optional<Actions> OutsideSearch::ends_so(const Actions& actions, const OutsideFinding* finding,
                                              Goes goes) {
    ++replays_;
    const std::size_t steps_max =
        actions.size() + (goes == Goes::kOn ? kGoneOnStepsMax : std::size_t{0});
    Actions done;
    try {
        source_.begin();
        for (std::size_t next = 0;; ++next) {
            const Actions enabled = source_.enabled();
            const auto faults = std::find_if(enabled.begin(), enabled.end(), is_fault);
            const bool has_more =
                next < actions.size() || (next < steps_max && faults != enabled.begin());
            const auto* violated = &broken(enabled);
            const bool looks = finding == nullptr || finding->property != nullptr;
            if (!has_more && looks && violated->empty() && source_.at_rest()) {
                source_.look(Look::kSearching);
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
            if (contains(enabled, action)) {
                done.push_back(action);
                static_cast<void>(source_.take(action));
            }
        }
    } catch (const Misbehaved& error) {
        source_.give_up();
        const bool counts = finding == nullptr
                                ? !is_input(error.kind())
                                : goes == Goes::kOn || finding->misbehaviour == error.kind();
        return counts ? std::optional(done) : std::nullopt;
    } catch (const Stopped&) {
        source_.give_up();
        return std::nullopt;
    }
}

// Where nobody had a choice there is no other run: a shorter one is its beginning.
OutsideFinding OutsideSearch::shrink(const OutsideFinding& finding) {
    OutsideFinding best = finding;
    // Each try would take as long as an answer may take.
    if (finding.misbehaviour == Misbehaviour::kHung || best.actions.empty()) {
        return best;
    }
    source_.stop_by({deadline()});
    const std::vector<Actions> possible = possible_in(best.actions);
    const auto is_forced = [](const Actions& each) { return each.size() == 1; };
    if (possible.size() == best.actions.size() &&
        std::all_of(possible.begin(), possible.end(), is_forced)) {
        best.actions.clear();
        for (const Action action : finding.actions) {
            if (const auto done = ends_so(best.actions, &finding, Goes::kToItsEnd)) {
                best.actions = *done;
                return best;
            }
            best.actions.push_back(action);
        }
        return finding;
    }
    leave_out(best);
    if (finding.property != nullptr && source_.knows_states()) {
        look_for_shorter(best);
    }
    return best;
}

// Leaves out the actions that this very run does not need.
void OutsideSearch::leave_out(OutsideFinding& finding) {
    replays_ = 0;
    const Moment last = deadline();
    constexpr ShrinkPass kPasses[] = {ShrinkPass::kParties, ShrinkPass::kRunsOfEach,
                                      ShrinkPass::kJoin};
    finding.actions = shrink_actions(
        std::move(finding.actions), kPasses, kShrinkReplaysMax,
        {[&](const Actions& candidate) { return ends_so(candidate, &finding, Goes::kToItsEnd); },
         [&] { return may_go_on(last); }});
}

// Another run may be shorter. Where states are known again, all shorter runs are soon explored.
void OutsideSearch::look_for_shorter(OutsideFinding& finding) {
    const OutsideOptions asked = options_;
    options_.progress = nullptr;
    options_.on_outcome = nullptr;
    options_.on_schedule = nullptr;
    options_.schedules_max = kShorterSchedulesMax;
    hidden_.reset();
    result_ = {};
    only_ = finding.property;
    while (!finding.actions.empty()) {
        options_.steps_max = finding.actions.size() - 1;
        result_.finding.reset();
        static_cast<void>(explore_round({kNoBound, kNoBound}));
        if (!result_.finding) {
            break;
        }
        finding.actions = result_.finding->actions;
        leave_out(finding);
    }
    only_ = nullptr;
    options_ = asked;
}

// Tries each known run as it is, and once more continued to an end. Impossible actions are left
// out; any violation counts.
std::optional<OutsideFinding> OutsideSearch::try_known() {
    const Moment last = deadline();
    for (const Schedule& known : options_.corpus) {
        for (const Goes goes : {Goes::kToItsEnd, Goes::kOn}) {
            replays_ = 0;
            if (!may_go_on(last)) {
                return std::nullopt;
            }
            const auto actions = ends_so(known.actions, nullptr, goes);
            if (!actions) {
                continue;
            }
            OutsideFinding found;
            found.actions = *actions;
            found.found_by = "corpus";
            const OutsideTrace trace = show(found);
            found.property = trace.violated.empty() ? nullptr : trace.violated.front();
            found.misbehaviour = trace.misbehaviour;
            found.detail = trace.detail;
            found.shown = shown_steps(trace);
            found.in_look = trace.look_steps > 0;
            if (found.property != nullptr || found.misbehaviour) {
                return found;
            }
        }
    }
    return std::nullopt;
}

// Returns the possible actions before each of the actions, up to where the run fails. Empty: the
// processes that are kept do other steps, and say nothing of this run.
std::vector<Actions> OutsideSearch::possible_in(const Actions& actions) {
    std::vector<Actions> out;
    ++replays_;
    try {
        source_.begin();
        for (const Action action : actions) {
            out.push_back(source_.enabled());
            if (!source_.is_possible(action, out.back())) {
                return {};
            }
            static_cast<void>(source_.take(action));
        }
    } catch (const Misbehaved&) {
        source_.give_up();
    } catch (const Stopped&) {
        source_.give_up();
    }
    return out;
}

std::vector<std::size_t> OutsideSearch::causes_of(const OutsideFinding& finding) {
    std::vector<std::size_t> causes;
    if (finding.misbehaviour == Misbehaviour::kHung) {
        return causes;
    }
    replays_ = 0;
    const Moment last = deadline();
    source_.stop_by({last});
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

}  // namespace lockkeeper
