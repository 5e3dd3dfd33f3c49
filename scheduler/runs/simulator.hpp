// SPDX-License-Identifier: Apache-2.0

// One run after another: enabled, one is chosen, apply, judge. No memory of states.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/runs/strategy.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper {

// The result of one run. Reused from run to run: nothing is allocated on the way.
struct Run {
    std::vector<Action> actions;
    std::vector<std::size_t> broken;  // properties, by index in the judge, in order
    std::vector<bool> reached;        // goals
    bool cut = false;                 // steps_max came first
    bool deadlocked = false;
};

// The part that both simulators share: it begins, judges and ends a run.
template <System S>
class JudgedRun {
  public:
    using State = typename S::State;

    JudgedRun(const S& system, Judge judge, Judge goals)
        : system_(system), judge_(std::move(judge)), goals_(std::move(goals)) {
        run_.actions.reserve(4096);
        run_.reached.assign(goals_.properties().size(), false);
    }

    [[nodiscard]] const Judge& judge() const { return judge_; }
    [[nodiscard]] const Judge& goals() const { return goals_; }
    [[nodiscard]] Run& run() { return run_; }

    void begin() {
        run_.actions.clear();
        run_.broken.clear();
        std::fill(run_.reached.begin(), run_.reached.end(), false);
        run_.cut = false;
        run_.deadlocked = false;
    }
    // `state`: behind the step that showed `event`.
    void judge_step(const State& state, const Event& event) {
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, state, event,
                              [&](std::size_t i) { run_.broken.push_back(i); });
        }
        if (goals_.interested_in(event)) {
            goals_.judge_step(system_, state, event,
                              [&](std::size_t i) { run_.reached[i] = true; });
        }
    }
    void judge_rest(const State& state) {
        judge_.judge_rest(system_, state, [&](std::size_t i) { run_.broken.push_back(i); });
    }
    // Nobody can go on by himself. False: all have finished, and faults may still come.
    LOCKKEEPER_SELDOM bool end(const State& state, bool is_anything_possible) {
        if (system_.finished(state)) {
            return !is_anything_possible;
        }
        if (time_is_over(system_, state)) {
            run_.cut = true;
            return true;
        }
        run_.deadlocked = true;
        if (const auto deadlock = judge_.index_of(PropertyNumber::kDeadlock)) {
            run_.broken.push_back(*deadlock);
        }
        return true;
    }

  private:
    const S& system_;
    Judge judge_;
    Judge goals_;
    Run run_;
};

template <System S>
class Simulator {
  public:
    using State = typename S::State;

    Simulator(const S& system, Judge judge, Judge goals)
        : system_(system),
          judged_(system, std::move(judge), std::move(goals)),
          initial_(system.initial()) {}

    [[nodiscard]] const Judge& judge() const { return judged_.judge(); }
    [[nodiscard]] const Judge& goals() const { return judged_.goals(); }
    [[nodiscard]] const State& state() const { return state_; }

    // Ends at the first violation, at the end of everything, or after steps_max steps.
    template <class Strategy>
    const Run& run(Strategy& strategy, std::uint64_t steps_max) {
        run_to_its_end(strategy, steps_max);
        return judged_.run();
    }
    // The same, compiled into one function with all that the System does: for a strategy that takes
    // so little time itself that this is seen.
    template <class Strategy>
    LOCKKEEPER_FLATTEN const Run& run_fast(Strategy& strategy, std::uint64_t steps_max) {
        run_to_its_end(strategy, steps_max);
        return judged_.run();
    }

  private:
    template <class Strategy>
    void run_to_its_end(Strategy& strategy, std::uint64_t steps_max) {
        judged_.begin();
        Run& run = judged_.run();
        state_ = initial_;
        while (run.broken.empty()) {
            system_.enabled(state_, actions_);
            if (only_faults(actions_) && judged_.end(state_, !actions_.empty())) {
                break;
            }
            if (run.actions.size() >= steps_max) {
                run.cut = true;
                break;
            }
            take(actions_[strategy.choose(actions_)]);
        }
    }
    void take(Action action) {
        judged_.run().actions.push_back(action);
        const Event event = system_.apply(state_, action);
        judged_.judge_step(state_, event);
        judged_.judge_rest(state_);
    }

    const S& system_;
    JudgedRun<S> judged_;
    State initial_;
    State state_{};
    ActionList actions_;
};

}  // namespace lockkeeper
