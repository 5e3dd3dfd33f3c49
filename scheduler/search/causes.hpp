// One property, broken for different reasons: one violation of each cause, so that one bug does not
// hide another. Asked once a search has ended, by whoever shows all violations (--keep-going).
//
// A cause is the label of the last decisive step: of the decisions that the violation needs (see
// shrinker.hpp), the last one, without the names of callers. Where no decision is needed it is the
// last step. Of the places where the property is broken only those are asked whose way there has
// labels of its own: two ways with the same labels are taken to be one cause. A way on which the
// property is broken before its end shows no new cause.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "scheduler/runs/step_label.hpp"
#include "scheduler/search/shrinker.hpp"

namespace lockkeeper {

template <System S>
class CauseSeeker {
  public:
    static constexpr std::size_t kWaysMax = 256;  // with labels of their own, of one property

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
        return limits_.deadline.is_past() || interrupt_requested();
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
            if (shrinker.breaks(after, action)) {
                way.push_back(action);
                add(property, shrinker, way);
                way.pop_back();
            }
        }
    }

    void add(const Property& property, Shrinker<S>& shrinker, const Actions& way) {
        const std::vector<std::string> labels = labels_of(way);
        if (ways_.size() == kWaysMax || !ways_.insert({labels.begin(), labels.end()}).second) {
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
        const std::string cause = way.empty()        ? "the initial state"
                                  : decisive.empty() ? labels.back()
                                                     : labels[decisive.back()];
        if (causes_.insert(cause).second) {
            FoundViolation& violation = found_.emplace_back();
            violation.property = &property;
            violation.schedule.actions = way;
            violation.cause = cause;
        }
    }

    [[nodiscard]] std::vector<std::string> labels_of(const Actions& way) const {
        std::vector<std::string> labels;
        State state = system_.initial();
        for (const Action action : way) {
            labels.push_back(
                action.kind == ActionKind::kTime
                    ? "time goes on"
                    : label_without_callers(system_.describe(state, action), callers_));
            system_.apply(state, action);
        }
        return labels;
    }

    const S& system_;
    const Explorer<S>& explorer_;
    std::vector<std::string> callers_;
    ShrinkLimits limits_;
    std::vector<FoundViolation> found_;
    std::set<std::set<std::string>> ways_;
    std::set<std::string> causes_;
    bool is_cut_ = false;
};

}  // namespace lockkeeper
