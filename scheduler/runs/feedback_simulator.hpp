// SPDX-License-Identifier: Apache-2.0

// Runs that go where no run has been (strategy `feedback`). Another strategy chooses each step, but
// only among steps never taken in this state, preferably one that leads to a state where no run
// was. Where all were taken, it chooses among those that may lead to a new step (seen_steps.hpp).
// When nothing new is left, it chooses as it likes.
//
// States that differ only in the names of interchangeable callers are one.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "scheduler/runs/seen_steps.hpp"
#include "scheduler/runs/simulator.hpp"
#include "scheduler/states/words.hpp"

namespace lockkeeper {

// Fingerprints of states and of their steps.
template <System S>
class StepKeys {
  public:
    using State = typename S::State;

    // `symmetry`: callers are interchangeable where the System says so.
    StepKeys(const S& system, bool symmetry)
        : system_(system),
          symmetry_(symmetry),
          layout_(layout_of(system)),
          slots_count_(slots_count_of(system)),
          used_bytes_(used_bytes_of(system)) {}

    [[nodiscard]] std::uint64_t of_state(const State& state) const {
        if constexpr (kHintsOf<S>.symmetry) {
            if (symmetry_) {
                State same = state;
                system_.canonicalize(same);
                return hash(&same, used_bytes_);
            }
        }
        return hash(&state, used_bytes_);
    }
    // Interchangeable callers that are up to the same thing have the same step. Of the background
    // it is not known whether its actor is a caller: a step may have several keys.
    [[nodiscard]] std::uint64_t of_step(const State& state, std::uint64_t state_key,
                                        Action action) const {
        std::uint64_t actor = action.actor;
        if constexpr (kHasParts<S> && kHintsOf<S>.symmetry) {
            if (symmetry_ && action.actor < slots_count_) {
                const auto* slot =
                    reinterpret_cast<const std::byte*>(&state) + action.actor * layout_.slot_bytes;
                actor = hash(slot, layout_.slot_bytes) + system_.group(action.actor);
            }
        }
        const std::uint64_t words[] = {
            state_key, actor, static_cast<std::uint64_t>(action.kind) << 32U | action.argument};
        return hash(words, sizeof(words));
    }

  private:
    // Never 0, which is no key.
    [[nodiscard]] static std::uint64_t hash(const void* bytes, std::size_t count) {
        return XXH3_64bits(bytes, count) | 1U;
    }

    const S& system_;
    bool symmetry_;
    PartLayout layout_;
    std::size_t slots_count_;
    std::size_t used_bytes_;
};

template <System S>
class FeedbackSimulator {
  public:
    using State = typename S::State;

    FeedbackSimulator(const S& system, bool symmetry, Judge judge, Judge goals)
        : system_(system),
          judged_(system, std::move(judge), std::move(goals)),
          keys_(system, symmetry),
          initial_(system.initial()) {}

    // `steps`: what this run adds to `seen`.
    template <class Strategy>
    const Run& run(Strategy& strategy, const SeenSteps& seen, std::uint64_t steps_max,
                   RunSteps& steps) {
        judged_.begin();
        steps.clear();
        of_this_run_.clear();
        Run& run = judged_.run();
        state_ = initial_;
        state_key_ = keys_.of_state(state_);
        while (run.broken.empty()) {
            system_.enabled(state_, actions_);
            if (only_faults(actions_) && judged_.end(state_, !actions_.empty())) {
                steps.last_state = state_key_;
                break;
            }
            if (run.actions.size() >= steps_max) {
                run.cut = true;
                break;
            }
            look_at_steps(seen, steps);
            take(strategy, seen, steps);
        }
        steps.ends = (steps.last_state != 0 || !run.broken.empty()) &&
                     steps.taken.size() == run.actions.size();
        return run;
    }

  private:
    struct Possible {
        Action action;
        std::uint64_t key = 0;
        std::uint32_t times = 0;
        bool is_used_up = false;
    };

    void look_at_steps(const SeenSteps& seen, RunSteps& steps) {
        possible_.clear();
        place_ = {state_key_, static_cast<std::uint32_t>(steps.keys.size()), 0};
        const bool has_room = steps.keys.size() + actions_.size() <= RunSteps::kKeysMost;
        for (const Action action : actions_) {
            const std::uint64_t key = keys_.of_step(state_, state_key_, action);
            const std::uint32_t* here = of_this_run_.find(key);
            possible_.push_back({action, key, seen.times(key) + (here != nullptr ? *here : 0),
                                 seen.is_used_up(key)});
            if (has_room) {
                steps.keys.push_back(key);
                ++place_.count;
            }
        }
    }

    // Offers the steps that are new; else those that may lead to something new; else all.
    void offer() {
        const auto add = [&](auto is_offered) {
            offered_.clear();
            for (const Possible& one : possible_) {
                if (is_offered(one)) {
                    offered_.add(one.action);
                }
            }
            return !offered_.empty();
        };
        if (!add([](const Possible& one) { return one.times == 0; }) &&
            !add([](const Possible& one) { return !one.is_used_up; })) {
            offered_ = actions_;
        }
    }

    template <class Strategy>
    void take(Strategy& strategy, const SeenSteps& seen, RunSteps& steps) {
        for (;;) {
            offer();
            const Action action = offered_[strategy.choose(offered_)];
            const auto chosen =
                std::find_if(possible_.begin(), possible_.end(),
                             [&](const Possible& one) { return one.action == action; });
            State next = state_;
            const Event event = system_.apply(next, action);
            const std::uint64_t next_key = keys_.of_state(next);
            const RunSteps::Step step{place_, chosen->key};
            if (chosen->times > 0 && !chosen->is_used_up && seen.is_used_up(next_key)) {
                use_up(step, steps);
                continue;
            }
            if (chosen->times == 0 && seen.times(next_key) > 0 && has_another_new(action)) {
                chosen->times = 1;  // passed over: others were there by other steps
                continue;
            }
            go_on(action, event, next, next_key, step, steps);
            return;
        }
    }
    [[nodiscard]] bool has_another_new(Action than) const {
        return std::any_of(possible_.begin(), possible_.end(), [&](const Possible& one) {
            return one.times == 0 && one.action != than;
        });
    }
    void use_up(const RunSteps::Step& step, RunSteps& steps) {
        for (Possible& one : possible_) {
            one.is_used_up = one.is_used_up || one.key == step.key;
        }
        if (steps.used_up.size() < RunSteps::kStepsMost) {
            steps.used_up.push_back(step);
        }
    }
    void go_on(Action action, const Event& event, const State& next, std::uint64_t next_key,
               const RunSteps::Step& step, RunSteps& steps) {
        if (steps.taken.size() < RunSteps::kStepsMost) {
            steps.taken.push_back(step);
        }
        if (std::uint32_t* times = of_this_run_.find(step.key)) {
            ++*times;
        } else {
            of_this_run_.add(step.key, 1);
        }
        state_ = next;
        state_key_ = next_key;
        judged_.run().actions.push_back(action);
        judged_.judge_step(state_, event);
        judged_.judge_rest(state_);
    }

    const S& system_;
    JudgedRun<S> judged_;
    StepKeys<S> keys_;
    State initial_;
    State state_{};
    std::uint64_t state_key_ = 0;
    ActionList actions_;
    ActionList offered_;
    std::vector<Possible> possible_;
    RunSteps::Place place_;
    KeyMap<std::uint32_t> of_this_run_;
};

}  // namespace lockkeeper
