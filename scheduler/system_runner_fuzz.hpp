// SystemRunner::fuzz. Included by system_runner.hpp only.
#pragma once

#include <functional>

#include "scheduler/system_runner.hpp"

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
class Fuzzer {
  public:
    Fuzzer(const S& system, const FuzzOptions& options)
        : system_(system),
          options_(options),
          simulator_(system, Judge(options.check), Judge(options.reach)),
          goal_reached_(options.reach.size(), false) {
        if constexpr (LearnedSimulatorSystem<S>) {
            if (LearnedSimulator<S>::can(system)) {
                learned_.emplace(system, Judge(options.check), Judge(options.reach));
            }
        }
    }

    FuzzResult run() {
        start_ = Clock::now();
        for (const Schedule& known : options_.corpus) {
            ListStrategy list(known.actions);
            AnyStrategy any(list);
            take(simulator_.run(any, options_.steps_max), known.seed, "corpus");
        }
        try {
            run_until_a_limit();
        } catch (const LimitExceeded& limit) {
            end(std::string("compiled size: ") + limit.what());
        }
        result_.seconds = elapsed();
        for (std::size_t i = 0; i < goal_reached_.size(); ++i) {
            if (goal_reached_[i]) {
                result_.reached.push_back(options_.reach[i]);
            }
        }
        decide();
        return std::move(result_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

    void run_until_a_limit() {
        while (!ended_) {
            if (result_.schedules >= options_.schedules_max) {
                end("schedules");
                break;
            }
            run_one(result_.schedules);
            look_at_limits();
        }
    }

    // The seed of a run follows from the seed of the whole and the run's number.
    void run_one(std::uint64_t number) {
        const std::uint64_t seed = Random(options_.seed ^ (number * 0xD1342543DE82EF95ULL)).next();
        constexpr const char* kPortfolio[] = {"random", "pct:2",       "rare-faults",
                                              "pct:3",  "round-robin", "pct:4"};
        const std::string name = options_.strategy == "portfolio"
                                     ? kPortfolio[number % std::size(kPortfolio)]
                                     : options_.strategy;
        if (const auto depth = pct_depth(name)) {
            run_any(PctStrategy(*depth, longest_), seed, name);
        } else if (name == "round-robin") {
            run_any(RoundRobinStrategy(), seed, name);
        } else if (name == "rare-faults") {
            RareFaultsStrategy rare;
            if (!ran_by_numbers(rare, seed, name)) {
                run_any(rare, seed, name);
            }
        } else {
            RandomStrategy random;
            if (!ran_by_numbers(random, seed, name)) {
                random.begin(seed);
                take(simulator_.run_fast(random, options_.steps_max), seed, name);
            }
        }
    }

    // False: this System's steps cannot be learned, or not any more.
    template <class Strategy>
    bool ran_by_numbers(Strategy& strategy, std::uint64_t seed, const std::string& name) {
        if constexpr (LearnedSimulatorSystem<S>) {
            if (learned_) {
                strategy.begin(seed);
                if (const Run* run = learned_->run(strategy, options_.steps_max)) {
                    take(*run, seed, name);
                    return true;
                }
                learned_.reset();
            }
        }
        return false;
    }

    template <class Strategy>
    void run_any(Strategy strategy, std::uint64_t seed, const std::string& name) {
        strategy.begin(seed);
        AnyStrategy any(strategy);
        take(simulator_.run(any, options_.steps_max), seed, name);
    }

    void take(const Run& run, std::uint64_t seed, const std::string& name) {
        ++result_.schedules;
        result_.steps += run.actions.size();
        result_.cut_schedules += run.cut ? 1U : 0U;
        longest_ = std::max(longest_, static_cast<std::uint32_t>(run.actions.size()));
        for (std::size_t i = 0; i < goal_reached_.size(); ++i) {
            goal_reached_[i] = goal_reached_[i] || run.reached[i];
        }
        for (const std::size_t index : run.broken) {
            add_violation(options_.check[index], {seed, run.actions}, name);
        }
        if (run.deadlocked && run.broken.empty() && stuck_.actions.empty()) {
            stuck_ = {seed, run.actions};
            is_stuck_ = true;
        }
        if (options_.check_determinism) {
            if (const auto step = first_nondeterminism(system_, run.actions)) {
                result_.verdict = Error{"nondeterminism at step " + std::to_string(*step + 1) +
                                        " of " + to_line({seed, run.actions})};
                is_nondeterministic_ = true;
                end("nondeterminism");
            }
        }
    }

    void add_violation(const Property* property, Schedule schedule, const std::string& name) {
        for (const FoundViolation& known : result_.violations) {
            if (known.property == property) {
                return;
            }
        }
        FoundViolation violation;
        violation.property = property;
        violation.schedule = std::move(schedule);
        result_.violations.push_back(std::move(violation));
        result_.found_by.push_back(name);
        if (options_.stop_at_first) {
            end("first violation");
        }
    }

    void end(std::string limit) {
        ended_ = true;
        result_.limit = std::move(limit);
    }

    void look_at_limits() {
        constexpr std::uint64_t kRunsPerLook = 64;
        constexpr std::uint64_t kStepsPerLook = 65'536;
        if (ended_ || (result_.schedules % kRunsPerLook != 0 &&
                       result_.steps - steps_looked_at_ < kStepsPerLook)) {
            return;
        }
        steps_looked_at_ = result_.steps;
        const double seconds = elapsed();
        if (interrupt_requested()) {
            end("interrupted");
        } else if (seconds >
                   options_.seconds_max * (result_.violations.empty() ? 1 : kSearchShare)) {
            end("time");
        } else if (options_.progress) {
            options_.progress({result_.schedules, result_.steps, seconds});
        }
    }

    void decide() {
        if (is_nondeterministic_) {
            return;
        }
        if (!result_.violations.empty()) {
            const FoundViolation& first = result_.violations.front();
            result_.verdict = Violated{std::string(first.property->name), first.schedule,
                                       std::string(first.property->definition)};
        } else if (is_stuck_) {
            result_.verdict = Stuck{stuck_};
        } else if (simulator_.judge().judges("livelock") && options_.check.size() == 1) {
            result_.verdict = Inconclusive{"livelock is not judged on single runs"};
        } else if (result_.limit == "schedules") {
            result_.verdict = Passed{};
        } else {
            result_.verdict = Inconclusive{result_.limit};
        }
    }

    const S& system_;
    const FuzzOptions& options_;
    Simulator<S> simulator_;
    typename LearnedSimulatorIfAny<S>::Type learned_;
    std::vector<bool> goal_reached_;
    FuzzResult result_;
    std::uint32_t longest_ = 64;
    std::uint64_t steps_looked_at_ = 0;
    bool ended_ = false;
    bool is_stuck_ = false;
    bool is_nondeterministic_ = false;
    Schedule stuck_;
    Clock::time_point start_;
};

template <System S>
FuzzResult SystemRunner<S>::fuzz(const FuzzOptions& options) const {
    return Fuzzer<S>(system_, options).run();
}

}  // namespace lockkeeper
