// SPDX-License-Identifier: Apache-2.0

// One property, broken for different reasons: one violation of each cause, so that one bug does not
// hide another. Asked once a search has ended, by whoever shows all violations (--keep-going).
//
// A cause is the last decisive step: the last decision that the violation needs (see shrinker.hpp),
// whoever takes it. Where it needs no decision, the cause is the last step. Steps are told apart by
// what they are (StepId), never by their words. Two ways of the same steps count as one cause, so
// only one of them is asked for its cause. A way that breaks the property before its end shows no
// new cause.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/server_step.hpp"
#include "scheduler/runs/step_label.hpp"
#include "scheduler/search/beyond_time.hpp"
#include "scheduler/shrink/shrinker.hpp"

namespace lockkeeper {

// Identifies a step, whoever takes it. A fault or a step beside the calls counts with its number,
// unless its system says what it is.
using StepId = std::tuple<ActionKind, std::uint16_t, ServerAct>;

template <System S>
[[nodiscard]] StepId step_id(const S& system, const typename S::State& state, Action action) {
    ServerAct act{ServerStep::kUnknown};
    if constexpr (requires { system.server_act(state, action); }) {
        act = system.server_act(state, action);
    }
    const bool has_number = act.step == ServerStep::kUnknown && action.kind != ActionKind::kTime;
    return {action.kind, has_number ? action.argument : std::uint16_t{0}, act};
}

template <System S>
class CauseSeeker {
  public:
    static constexpr std::size_t kWaysMax = 256;  // with steps of their own, of one property

    CauseSeeker(const S& system, const Explorer<S>& explorer, std::vector<std::string> callers,
                const ShrinkLimits& limits)
        : system_(system), explorer_(explorer), callers_(std::move(callers)), limits_(limits) {}

    // In the order of the places, which is that of their depth. Empty: there was no time.
    std::vector<FoundViolation> violations(const Property& property,
                                           const std::vector<ViolationPlace>& places, bool is_cut,
                                           std::size_t most) {
        found_.clear();
        ways_.clear();
        causes_.clear();
        is_cut_ = is_cut;
        std::set<StateId> looked_at;
        for (const ViolationPlace& place : places) {
            if (found_.size() == most || has_ended()) {
                is_cut_ = true;
                break;
            }
            if (looked_at.insert(place.from).second) {
                look_at(property, place);
            }
        }
        for (FoundViolation& violation : found_) {
            violation.causes_cut = is_cut_;
        }
        return std::move(found_);
    }

  private:
    using State = typename S::State;

    [[nodiscard]] bool has_ended() const {
        return explorer_.reached().any_of_ranks(limits_.deadline.is_past() ||
                                                interrupt_requested());
    }

    // Symmetry: the state on the way may have other names than the one that was found, so each of
    // its steps is tried.
    void look_at(const Property& property, const ViolationPlace& place) {
        Shrinker<S> shrinker(system_, property, limits_);
        State state;
        Actions way = explorer_.reached().path_to(place.from, state);
        if (place.in_state) {
            add(property, shrinker, way);
            return;
        }
        ActionList possible;
        system_.enabled(state, possible);
        for (const Action action : possible) {
            State after = state;
            if (!is_beyond_time(action) && shrinker.breaks(after, action)) {
                way.push_back(action);
                add(property, shrinker, way);
                way.pop_back();
            }
        }
    }

    void add(const Property& property, Shrinker<S>& shrinker, const Actions& way) {
        const std::vector<StepId> steps = steps_of(way);
        if (ways_.size() == kWaysMax || !ways_.insert({steps.begin(), steps.end()}).second) {
            is_cut_ = is_cut_ || ways_.size() == kWaysMax;
            return;
        }
        if (!shrinker.breaks_at_end_only(way)) {
            return;  // what follows from a violation before
        }
        const std::vector<std::size_t> decisive = shrinker.causes_of(way);
        if (has_ended()) {
            is_cut_ = true;
            return;
        }
        const std::size_t at = decisive.empty() ? way.size() - 1 : decisive.back();
        const bool is_new = way.empty() ? found_.empty() : causes_.insert(steps[at]).second;
        if (is_new) {
            FoundViolation& violation = found_.emplace_back();
            violation.property = &property;
            violation.schedule.actions = way;
            violation.cause = way.empty() ? "the initial state" : label_of(way, at);
        }
    }

    [[nodiscard]] std::vector<StepId> steps_of(const Actions& way) const {
        std::vector<StepId> steps;
        State state = system_.initial();
        for (const Action action : way) {
            steps.push_back(step_id(system_, state, action));
            system_.apply(state, action);
        }
        return steps;
    }
    // For people.
    [[nodiscard]] std::string label_of(const Actions& way, std::size_t at) const {
        State state = system_.initial();
        for (std::size_t i = 0; i < at; ++i) {
            system_.apply(state, way[i]);
        }
        return way[at].kind == ActionKind::kTime
                   ? "time goes on"
                   : label_without_callers(system_.describe(state, way[at]), callers_);
    }

    const S& system_;
    const Explorer<S>& explorer_;
    std::vector<std::string> callers_;
    ShrinkLimits limits_;
    std::vector<FoundViolation> found_;
    std::set<std::set<StepId>> ways_;
    std::set<StepId> causes_;
    bool is_cut_ = false;
};

}  // namespace lockkeeper
