// SPDX-License-Identifier: Apache-2.0

// Which steps have to be looked at from one point of a run: a source set. It begins with one step,
// and whenever a later step of some run turns out to depend on an earlier one, and could have come
// before it, a step that leads there is added where the earlier one was taken.
//
// The algorithm is Source-DPOR of Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order
// reduction" (2014), where each process has one next step, which stays possible until it is taken.
// Here a caller may have several steps that exclude each other, and faults that may or may not
// happen. So:
//   - what a run can end without (Source::is_optional) is always looked at, wherever it is
//     possible: no run would show that it comes too late;
//   - with a step of a caller, all of that caller's are.
// A step depends on the step that makes it possible. Where this does not explain why a step is
// possible, everything is looked at.
#include <algorithm>

#include "validate/outside/search.hpp"

namespace lockkeeper {

// Which steps commute is known for what the ledger judges itself. A rule that reads states may tell
// apart what either order leads through.
bool OutsideSearch::may_reduce() const {
    const std::vector<const Property*>& check = source_.world().check;
    return source_.shows_effects() && options_.reduces && !options_.preemptions_max &&
           std::none_of(check.begin(), check.end(), [](const Property* property) {
               return is_told(*property) && property->needs_observation;
           });
}

// Keeps of the choices the steps of one caller, and what is optional.
void OutsideSearch::choose_source(Frame& frame) {
    std::optional<std::uint8_t> caller;
    for (const Action action : frame.choices) {
        if (!caller && !source_.is_optional(action)) {
            caller = action.actor;
        }
    }
    std::erase_if(frame.choices, [&](Action action) {
        return !source_.is_optional(action) && action.actor != caller;
    });
}

void OutsideSearch::add_steps_of(std::uint8_t caller, Frame& frame) {
    for (const Action action : frame.enabled) {
        if (is_step(action) && action.actor == caller && !frame.sleeps(action) &&
            !contains(frame.choices, action)) {
            frame.choices.push_back(action);
        }
    }
}

// Finds the races of the last step: the earlier steps on which it depends directly, and not by way
// of a step between them.
void OutsideSearch::find_races() {
    Frame& last = frames_.back();
    const std::size_t count = frames_.size() - 1;
    last.before.assign(count, false);
    std::vector<std::size_t> races;
    for (std::size_t i = count; i-- > 0;) {
        if (last.before[i] || commute(frames_[i].effect, last.effect)) {
            continue;
        }
        races.push_back(i);
        last.before[i] = true;
        for (std::size_t k = 0; k < i; ++k) {
            last.before[k] = last.before[k] || frames_[i].before[k];
        }
    }
    for (const std::size_t first : races) {
        reverse_race(first);
    }
}

// The steps after `first` that do not depend on it, then the last step, are a run from the place of
// `first`. Adds a step there that begins this run, unless one is explored there already.
void OutsideSearch::reverse_race(std::size_t first) {
    Frame& frame = frames_[first];
    const Action before = frame.taken();
    const Action last = frames_.back().taken();
    const bool follows = is_step(before) && is_step(last) && before.actor == last.actor &&
                         !contains(frame.enabled, last);  // the caller comes to it by the first one
    if (follows) {
        return;
    }
    std::vector<std::size_t> run;
    std::vector<Action> beginnings;
    for (std::size_t i = first + 1; i < frames_.size(); ++i) {
        const bool is_last = i + 1 == frames_.size();
        if (!is_last && frames_[i].before[first]) {
            continue;
        }
        const bool begins = std::none_of(run.begin(), run.end(),
                                         [&](std::size_t k) { return frames_[i].before[k]; });
        run.push_back(i);
        const Action action = frames_[i].taken();
        if (!begins) {
            continue;
        }
        if (frame.sleeps(action) || contains(frame.choices, action)) {
            return;
        }
        beginnings.push_back(action);
    }
    const auto possible = std::find_if(beginnings.begin(), beginnings.end(), [&](Action action) {
        return contains(frame.enabled, action);
    });
    if (possible != beginnings.end()) {
        add_steps_of(possible->actor, frame);
    } else if (run.size() > 1) {
        for (const Action action : frame.enabled) {
            add_steps_of(action.actor, frame);
        }
    }
}

}  // namespace lockkeeper
