// SPDX-License-Identifier: Apache-2.0

// Makes the runs of `fuzz`: each from its number, whoever makes it. Used by system_runner_fuzz.hpp.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "scheduler/runs/feedback_simulator.hpp"
#include "scheduler/runs/fuzz.hpp"
#include "scheduler/runs/learned_simulator.hpp"
#include "scheduler/runs/made_run.hpp"
#include "scheduler/runs/simulator.hpp"
#include "scheduler/runs/swarm_strategy.hpp"

namespace lockkeeper {

// Replays a list of actions, and nothing else.
class ListStrategy {
  public:
    explicit ListStrategy(const std::vector<Action>& actions) : actions_(actions) {}
    // Passes over what is not possible; ends (with the first possible action) behind the list.
    std::size_t choose(const ActionList& possible) {
        for (; next_ < actions_.size(); ++next_) {
            for (std::size_t i = 0; i < possible.size(); ++i) {
                if (possible[i] == actions_[next_]) {
                    ++next_;
                    return i;
                }
            }
        }
        return 0;
    }

  private:
    const std::vector<Action>& actions_;
    std::size_t next_ = 0;
};

// Any other strategy than the random one: the loop of a run is compiled once for all of them.
class AnyStrategy {
  public:
    template <class Strategy>
    explicit AnyStrategy(Strategy& strategy)
        : choose_([&strategy](const ActionList& possible) { return strategy.choose(possible); }) {}
    std::size_t choose(const ActionList& possible) { return choose_(possible); }

  private:
    std::function<std::size_t(const ActionList&)> choose_;
};

// Runs a schedule twice more and compares what was possible and every state on the way; the
// recorded action must be among what is possible. The step of the first difference, or nothing.
template <System S>
[[nodiscard]] std::optional<std::size_t> first_nondeterminism(const S& system,
                                                              const std::vector<Action>& actions) {
    typename S::State first = system.initial();
    typename S::State second = system.initial();
    ActionList possible_first;
    ActionList possible_second;
    for (std::size_t i = 0; i <= actions.size(); ++i) {
        system.enabled(first, possible_first);
        system.enabled(second, possible_second);
        if (std::memcmp(&first, &second, sizeof(first)) != 0 ||
            !std::equal(possible_first.begin(), possible_first.end(), possible_second.begin(),
                        possible_second.end())) {
            return i;
        }
        if (i < actions.size()) {
            if (!possible_first.contains(actions[i])) {
                return i;
            }
            system.apply(first, actions[i]);
            system.apply(second, actions[i]);
        }
    }
    return std::nullopt;
}

template <System S>
class RunMaker final : public AnyRunMaker {
  public:
    RunMaker(const S& system, const FuzzOptions& options)
        : system_(system),
          options_(options),
          simulator_(system, Judge(options.check), Judge(options.reach)),
          keeps_actions_(Judge(options.check).judges(PropertyNumber::kLivelock)) {
        if constexpr (kRunsAreLearned<S>) {
            if (LearnedSimulator<S>::can(system)) {
                learned_.emplace(system, Judge(options.check), Judge(options.reach));
            }
        }
    }

    void make_known(const Schedule& known, MadeRun& made) override {
        begin(known.seed, "corpus", made);
        guarded(made, [&] {
            ListStrategy list(known.actions);
            AnyStrategy any(list);
            keep(simulator_.run(any, options_.steps_max), made);
        });
    }

    // The seed of a run follows from the seed of the whole and the run's number.
    void make(std::uint64_t number, std::uint32_t length, MadeRun& made) override {
        constexpr const char* kPortfolio[] = {"random", "pct:2",       "rare-faults",
                                              "pct:3",  "round-robin", "pct:4"};
        begin(seed_of(number),
              options_.strategy == "portfolio" ? kPortfolio[number % std::size(kPortfolio)]
                                               : options_.strategy,
              made);
        guarded(made, [&] { make_by_strategy(length, made); });
    }

    // By feedback: it depends on what has been seen before, too.
    void make(std::uint64_t number, const SeenSteps& seen, MadeRun& made) override {
        begin(seed_of(number), options_.strategy, made);
        guarded(made, [&] { make_by_feedback(number, seen, made); });
    }

  private:
    [[nodiscard]] std::uint64_t seed_of(std::uint64_t number) const {
        return Random(options_.seed ^ (number * 0xD1342543DE82EF95ULL)).next();
    }

    void make_by_feedback(std::uint64_t number, const SeenSteps& seen, MadeRun& made) {
        if (!feedback_) {
            feedback_.emplace(system_, options_.symmetry, Judge(options_.check),
                              Judge(options_.reach));
        }
        const auto run = [&](auto strategy) {
            strategy.begin(made.seed);
            AnyStrategy any(strategy);
            keep(feedback_->run(any, seen, options_.steps_max, made.seen), made);
        };
        constexpr std::uint64_t kFirstRuns = 8;
        if (number < kFirstRuns || number % 4 == 0) {
            run(SwarmStrategy(SwarmStrategy::Weights::kManyFaults));
        } else if (number % 4 == 2) {
            run(PosStrategy());
        } else {
            run(SwarmStrategy(SwarmStrategy::Weights::kDrawn));
        }
    }

    static void begin(std::uint64_t seed, const std::string& by, MadeRun& made) {
        made.is = RunMade::kMade;
        made.seed = seed;
        made.by = by;
        made.length = 0;
        made.run.actions.clear();
        made.nondeterminism.reset();
        made.error = nullptr;
    }

    // Keeps an exception with the run that threw it.
    template <class Make>
    static void guarded(MadeRun& made, Make make) {
        try {
            make();
        } catch (...) {
            made.error = std::current_exception();
        }
    }

    void make_by_strategy(std::uint32_t length, MadeRun& made) {
        if (const auto depth = pct_depth(made.by)) {
            made.length = length;
            run_any(PctStrategy(*depth, length), made);
        } else if (made.by == "round-robin") {
            run_any(RoundRobinStrategy(), made);
        } else if (made.by == "pos") {
            run_any(PosStrategy(), made);
        } else if (made.by == "rare-faults") {
            RareFaultsStrategy rare;
            if (!ran_by_numbers(rare, made)) {
                run_any(rare, made);
            }
        } else {
            RandomStrategy random;
            if (!ran_by_numbers(random, made)) {
                random.begin(made.seed);
                keep(simulator_.run_fast(random, options_.steps_max), made);
            }
        }
    }

    // False: this System's steps cannot be learned, or not any more.
    template <class Strategy>
    bool ran_by_numbers(Strategy& strategy, MadeRun& made) {
        if constexpr (kRunsAreLearned<S>) {
            if (learned_) {
                strategy.begin(made.seed);
                if (const Run* run = learned_->run(strategy, options_.steps_max)) {
                    keep(*run, made);
                    return true;
                }
                learned_.reset();
            }
        }
        return false;
    }

    template <class Strategy>
    void run_any(Strategy strategy, MadeRun& made) {
        strategy.begin(made.seed);
        AnyStrategy any(strategy);
        keep(simulator_.run(any, options_.steps_max), made);
    }

    void keep(const Run& run, MadeRun& made) {
        made.steps = run.actions.size();
        made.run.broken = run.broken;
        made.run.reached = run.reached;
        made.run.cut = run.cut;
        made.run.deadlocked = run.deadlocked;
        if (options_.check_determinism) {
            made.nondeterminism = first_nondeterminism(system_, run.actions);
        }
        if (keeps_actions_ || !run.broken.empty() || run.deadlocked || made.nondeterminism) {
            made.run.actions = run.actions;
        }
    }

    const S& system_;
    const FuzzOptions& options_;
    Simulator<S> simulator_;
    bool keeps_actions_;  // of every run: somebody looks at all of them
    typename LearnedSimulatorIfAny<S>::Type learned_;
    std::optional<FeedbackSimulator<S>> feedback_;
};

}  // namespace lockkeeper
