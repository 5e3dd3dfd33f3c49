// One run after another: enabled, one is chosen, apply, judge. No memory of states.
#pragma once

#include <vector>

#include "scheduler/judge.hpp"
#include "scheduler/strategy.hpp"

namespace lockkeeper {

// What a run left behind. Reused from run to run: nothing is allocated on the way.
struct Run {
    std::vector<Action> actions;
    std::vector<std::size_t> broken;  // properties, by index in the judge, in order
    std::vector<bool> reached;        // goals
    bool cut = false;                 // steps_max came first
    bool deadlocked = false;
};

template <System S>
class Simulator {
  public:
    using State = typename S::State;

    Simulator(const S& system, Judge judge, Judge goals)
        : system_(system),
          judge_(std::move(judge)),
          goals_(std::move(goals)),
          initial_(system.initial()) {
        run_.actions.reserve(4096);
        run_.reached.assign(goals_.properties().size(), false);
    }

    [[nodiscard]] const Judge& judge() const { return judge_; }
    [[nodiscard]] const Judge& goals() const { return goals_; }
    [[nodiscard]] const State& state() const { return state_; }

    // Ends at the first violation, at the end of everything, or after steps_max steps.
    template <class Strategy>
    const Run& run(Strategy& strategy, std::uint64_t steps_max) {
        run_to_its_end(strategy, steps_max);
        return run_;
    }
    // The same, compiled into one function with all that the System does: for a strategy that takes
    // so little time itself that this is seen.
    template <class Strategy>
    LOCKKEEPER_FLATTEN const Run& run_fast(Strategy& strategy, std::uint64_t steps_max) {
        run_to_its_end(strategy, steps_max);
        return run_;
    }

  private:
    template <class Strategy>
    void run_to_its_end(Strategy& strategy, std::uint64_t steps_max) {
        run_.actions.clear();
        run_.broken.clear();
        run_.cut = false;
        run_.deadlocked = false;
        state_ = initial_;
        while (run_.broken.empty()) {
            system_.enabled(state_, actions_);
            if (only_faults(actions_) && end_of_run()) {
                break;
            }
            if (run_.actions.size() >= steps_max) {
                run_.cut = true;
                break;
            }
            take(actions_[strategy.choose(actions_)]);
        }
    }
    void take(Action action) {
        run_.actions.push_back(action);
        const Event event = system_.apply(state_, action);
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, state_, event,
                              [&](std::size_t i) { run_.broken.push_back(i); });
        }
        if (goals_.interested_in(event)) {
            goals_.judge_step(system_, state_, event,
                              [&](std::size_t i) { run_.reached[i] = true; });
        }
        judge_.judge_rest(system_, state_, [&](std::size_t i) { run_.broken.push_back(i); });
    }

    // Nobody can go on by himself. False: all have finished, and faults may still come.
    LOCKKEEPER_SELDOM bool end_of_run() {
        if (system_.finished(state_)) {
            return actions_.empty();
        }
        run_.deadlocked = true;
        if (const auto deadlock = judge_.index_of("deadlock")) {
            run_.broken.push_back(*deadlock);
        }
        return true;
    }

    const S& system_;
    Judge judge_;
    Judge goals_;
    State initial_;
    State state_{};
    ActionList actions_;
    Run run_;
};

}  // namespace lockkeeper
