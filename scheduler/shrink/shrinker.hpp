// SPDX-License-Identifier: Apache-2.0

// From a failing schedule to a short one that fails the same way, and to its cause.
//
// First the explorer looks for a shortest schedule that breaks the same property, within a bound.
// Where the bound does not suffice, delta debugging shortens the schedule (shrink_actions.hpp). A
// candidate is kept only if it breaks the same property in its last step.
//
// The cause: each decision of the result (another party went on although the one before could have,
// or a fault) is flipped, all else as before, and the run is completed. Decisions whose flip
// removes the violation are the ones that it needs.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "scheduler/runs/trace.hpp"
#include "scheduler/search/beyond_time.hpp"
#include "scheduler/search/explorer.hpp"
#include "scheduler/shrink/shrink.hpp"
#include "scheduler/shrink/shrink_actions.hpp"

namespace lockkeeper {

inline constexpr std::uint64_t kShrinkStatesMax = 300'000;
inline constexpr std::size_t kCompletedStepsMax = 10'000;  // of a run that is gone on with
inline constexpr std::size_t kFlipsMax = 256;              // in the search for a run that passes

template <System S>
class Shrinker {
  public:
    using State = typename S::State;

    Shrinker(const S& system, const Property& property, const ShrinkLimits& limits = {})
        : system_(system), property_(property), limits_(limits), judge_({&property}) {}

    // `schedule` must break the property; it comes back unchanged if it does not.
    ShrinkResult shrink(const Schedule& schedule) {
        ShrinkResult result{schedule, {}, 0, false};
        if (const auto best =
                limits_.shortens ? shortened(schedule.actions) : violating(schedule.actions)) {
            result.schedule.actions = *best;
            result.causes = causes_of(*best);
        }
        result.replays = replays_;
        result.is_cut = limits_.deadline.is_past();
        if (result.is_cut) {
            result.causes.clear();
        }
        return result;
    }

    // The same without asking which decisions it needs; nothing when the property is not broken.
    std::optional<Actions> shortened(const Actions& actions) {
        auto best = violating(actions);
        if (best) {
            if (auto shortest = shortest_by_exploring(best->size())) {
                return shortest;
            }
            constexpr ShrinkPass kPasses[] = {ShrinkPass::kParties, ShrinkPass::kRuns,
                                              ShrinkPass::kJoin};
            return shrink_actions(
                *std::move(best), kPasses, 1,
                {[this](const Actions& candidate) { return violating(candidate); },
                 [this] { return !limits_.deadline.is_past(); }});
        }
        return best;
    }

    // Takes the step. True: it breaks the property, or leads to a state at rest that does.
    bool breaks(State& state, Action action) {
        bool broken = false;
        const Event event = system_.apply(state, action);
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, state, event, [&](std::size_t) { broken = true; });
        }
        judge_.judge_rest(system_, state, [&](std::size_t) { broken = true; });
        return broken;
    }

    // False: it breaks the property earlier, too.
    [[nodiscard]] bool breaks_at_end_only(const Actions& actions) {
        const auto broken = violating(actions);
        return broken && broken->size() == actions.size();
    }
    // The decisions that the violation needs; of what breaks the property at its end.
    [[nodiscard]] std::vector<std::size_t> causes_of(const Actions& actions) {
        std::vector<std::size_t> causes;
        State state = system_.initial();
        for (std::size_t i = 0; i < actions.size() && !limits_.deadline.is_past(); ++i) {
            system_.enabled(state, possible_);
            const auto flipped = flipped_at(actions, i, possible());
            system_.apply(state, actions[i]);
            if (flipped && !violates_when_completed(*flipped)) {
                causes.push_back(i);
            }
        }
        return causes;
    }

    // Flips one decision after the other, from the last one on, until the property holds.
    [[nodiscard]] std::optional<PassingRun> nearest_passing(const Schedule& schedule) {
        const Actions& actions = schedule.actions;
        if (actions.size() > kCompletedStepsMax) {
            return std::nullopt;
        }
        std::vector<State> before{system_.initial()};
        for (const Action action : actions) {
            before.push_back(before.back());
            system_.apply(before.back(), action);
        }
        std::size_t flips = 0;
        for (std::size_t at = actions.size(); at-- > 0 && flips < kFlipsMax;) {
            system_.enabled(before[at], possible_);
            const auto flipped = flipped_at(actions, at, possible());
            if (!flipped || limits_.deadline.is_past()) {
                continue;
            }
            ++flips;
            const Completed other = run(*flipped, true);
            if (!other.is_broken && !other.is_stuck) {
                return passing(schedule, other);
            }
        }
        return std::nullopt;
    }

  private:
    struct Completed {
        Actions done;
        bool is_broken = false;
        bool is_stuck = false;  // somebody is unfinished and nobody can go on
        bool has_ended = false;
    };

    // Shows a run that never ends only for so many steps more.
    static PassingRun passing(const Schedule& violating, const Completed& other) {
        constexpr std::size_t kShownOfEndless = 20;
        PassingRun found{{violating.seed, other.done}, 0, other.has_ended};
        Actions& actions = found.schedule.actions;
        if (!other.has_ended) {
            actions.resize(std::min(actions.size(), violating.actions.size() + kShownOfEndless));
        }
        const auto parts = std::mismatch(actions.begin(), actions.end(), violating.actions.begin(),
                                         violating.actions.end());
        found.differs_at = static_cast<std::size_t>(parts.first - actions.begin());
        return found;
    }

    // The actions that were possible, up to and including the one that breaks the property.
    std::optional<Actions> violating(const Actions& actions) {
        Completed completed = run(actions, false);
        return completed.is_broken ? std::optional(std::move(completed.done)) : std::nullopt;
    }
    // The same, and then on to an end: first come, first served, no more faults.
    bool violates_when_completed(const Actions& actions) { return run(actions, true).is_broken; }

    Completed run(const Actions& actions, bool completes) {
        const std::size_t steps_max = completes ? kCompletedStepsMax : SIZE_MAX;
        ++replays_;
        State state = system_.initial();
        ActionList possible;
        Completed out;
        for (std::size_t next = 0; out.done.size() < steps_max;) {
            system_.enabled(state, possible);
            while (next < actions.size() && !possible.contains(actions[next])) {
                ++next;
            }
            const bool chosen = next < actions.size();
            if (!chosen && (!completes || only_faults(possible))) {
                out.has_ended = true;
                out.is_broken = is_deadlock(state, possible);
                out.is_stuck = !system_.finished(state) && !time_is_over(system_, state);
                return out;
            }
            out.done.push_back(chosen ? actions[next++]
                                      : possible[out.done.size() % count_fault_free(possible)]);
            try {
                out.is_broken = breaks(state, out.done.back());
            } catch (const LimitExceeded&) {  // shown as far as the compiled size has room
                out.done.pop_back();
                return out;
            }
            if (out.is_broken) {
                return out;
            }
        }
        return out;
    }

    bool is_deadlock(const State& state, const ActionList& possible) const {
        return property_.is(PropertyNumber::kDeadlock) && !system_.finished(state) &&
               only_faults(possible);
    }

    std::optional<Actions> shortest_by_exploring(std::size_t at_most) {
        ExploreOptions options;
        options.check = {&property_};
        options.stop_at_first = true;
        options.states_max = kShrinkStatesMax;
        options.depth_max = at_most;
        options.seconds_max = limits_.deadline.left();
        options.process_bytes_max = limits_.process_bytes_max;
        Explorer<S> explorer(system_, options);
        explorer.run();
        if (!explorer.progress().first.front().found) {
            return std::nullopt;
        }
        return actions_to(explorer, explorer.progress().first.front());
    }

  public:
    // The schedule of a place that an exploration found, on real (not representative) states.
    template <class Explorer>
    static Actions actions_to(const S& system, const Explorer& explorer, const Property& property,
                              const ViolationPlace& place) {
        State state;
        Actions actions = explorer.reached().path_to(place.from, state);
        if (place.in_state) {
            return actions;
        }
        Shrinker shrinker(system, property);
        // The place's action belongs to the representative; here it is the one that violates, or
        // is followed by a private step that does.
        ActionList possible;
        system.enabled(state, possible);
        for (Action action : possible) {
            if (is_beyond_time(action)) {
                continue;
            }
            State after = state;
            Actions steps{action};
            bool broken = shrinker.breaks(after, action);
            if (!broken) {
                Actions private_steps;
                State then = after;
                explorer.reached().follow(then, private_steps);
                for (std::size_t i = 0; i < private_steps.size() && !broken; ++i) {
                    steps.push_back(private_steps[i]);
                    broken = shrinker.breaks(after, private_steps[i]);
                }
            }
            if (broken) {
                actions.insert(actions.end(), steps.begin(), steps.end());
                return actions;
            }
        }
        unreachable("the violation is found again");
    }

  private:
    template <class Explorer>
    Actions actions_to(const Explorer& explorer, const ViolationPlace& place) {
        return actions_to(system_, explorer, property_, place);
    }

    [[nodiscard]] std::span<const Action> possible() const {
        return {possible_.begin(), possible_.end()};
    }
    // Faults come last in the list of possible actions.
    [[nodiscard]] static std::size_t count_fault_free(const ActionList& possible) {
        return static_cast<std::size_t>(std::count_if(
            possible.begin(), possible.end(), [](Action action) { return !is_fault(action); }));
    }

    const S& system_;
    const Property& property_;
    ShrinkLimits limits_;
    Judge judge_;
    ActionList possible_;
    std::uint64_t replays_ = 0;
};

}  // namespace lockkeeper
