// SPDX-License-Identifier: Apache-2.0
#include "measure/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper {
namespace {

constexpr double kEqual = 1e-9;  // relative: one choice as good as another

// A shortest run that a best scheduler may bring about, as a schedule of the System itself. Of
// several best choices the shortest way takes any; nature acts where that is shortest: the schedule
// is possible, and not certain.
class ScheduleSearch {
  public:
    ScheduleSearch(const ErasedSystem& system, const MeasureOptions& options,
                   const ChainGraph& graph)
        : system_(system), options_(options), graph_(graph) {}

    // Finds a schedule that violates in its last step.
    [[nodiscard]] std::optional<Schedule> violating(const ExtremePolicy& policy,
                                                    std::uint32_t violated) const {
        return search(policy, violated, true);
    }
    // Finds a schedule that ends without a violation.
    [[nodiscard]] std::optional<Schedule> keeping(const ExtremePolicy& policy,
                                                  std::uint32_t violated) const {
        return search(policy, violated, false);
    }

  private:
    // Breadth first along what the scheduler chooses and nature may do.
    [[nodiscard]] std::optional<Schedule> search(const ExtremePolicy& policy,
                                                 std::uint32_t violated, bool to_violation) const {
        const Chain& chain = graph_.chain;
        struct Came {
            std::uint64_t transition;
            StateIndex from;
        };
        std::vector<Came> came(chain.size(), {0, StateTable::kNone});
        std::vector<StateIndex> queue{0};
        came[0].from = 0;
        const auto behind = [&](std::uint64_t i) {
            return (chain.label(i).violated & violated) != 0
                       ? 1
                       : policy.value.values[chain.targets[i]];
        };
        const auto is_played = [&](std::uint64_t i, std::uint64_t choice) {
            return chain.label(i).by_nature || i == choice ||
                   std::abs(behind(i) - behind(choice)) <= kEqual * behind(choice);
        };
        const auto path_to = [&](StateIndex state) {
            std::vector<std::uint64_t> path;
            for (; state != 0; state = came[state].from) {
                path.push_back(came[state].transition);
            }
            std::reverse(path.begin(), path.end());
            return path;
        };
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const StateIndex state = queue[next];
            if (!to_violation && chain.ends(state)) {
                return walk(path_to(state));
            }
            for (std::uint64_t i = chain.offsets[state]; i < chain.offsets[state + 1U]; ++i) {
                if (!is_played(i, policy.choice[state])) {
                    continue;
                }
                const StateIndex target = chain.targets[i];
                if ((chain.label(i).violated & violated) != 0) {
                    if (to_violation) {
                        std::vector<std::uint64_t> path = path_to(state);
                        path.push_back(i);
                        return walk(path);
                    }
                } else if (came[target].from == StateTable::kNone) {
                    came[target] = {i, state};
                    queue.push_back(target);
                }
            }
        }
        return std::nullopt;
    }
    // The chain knows representatives; the schedule names the callers that really stand there.
    [[nodiscard]] Schedule walk(const std::vector<std::uint64_t>& transitions) const {
        const Chain& chain = graph_.chain;
        Judge judge(judged_properties(options_));
        Schedule schedule;
        ErasedSystem::State state = system_.initial();
        ActionList actions;
        for (const std::uint64_t transition : transitions) {
            const StateIndex target = chain.targets[transition];
            system_.enabled(state, actions);
            const auto leads_there = [&](Action action) {
                ErasedSystem::State after = state;
                const Event event = system_.apply(after, action);
                std::uint32_t violated = graph_.violated_on_arrival[target];
                judge.judge_step(system_, after, event,
                                 [&](std::size_t i) { violated |= std::uint32_t{1} << i; });
                if (options_.symmetry) {
                    system_.canonicalize(after);
                }
                return graph_.states.find(after.bytes.data()) == target &&
                       violated == chain.label(transition).violated;
            };
            const Action* chosen = std::find_if(actions.begin(), actions.end(), leads_there);
            LOCKKEEPER_CHECK(chosen != actions.end());
            system_.apply(state, *chosen);
            schedule.actions.push_back(*chosen);
        }
        return schedule;
    }

    const ErasedSystem& system_;
    const MeasureOptions& options_;
    const ChainGraph& graph_;
};

constexpr double kImprovement = 1e-12;  // relative; less is rounding
constexpr int kPoliciesMax = 200;
constexpr int kSweepsMax = 1000;

class PolicySearch {
  public:
    PolicySearch(const Chain& chain, const Components& components, std::uint32_t violated,
                 bool greatest, const SolverLimits& limits)
        : chain_(chain),
          components_(components),
          greatest_(greatest),
          limits_(limits),
          values_(chain.size(), 0),
          avoids_(chain.size(), false) {
        for (const TransitionLabel& label : chain.labels) {
            violates_.push_back((label.violated & violated) != 0);
        }
        policy_.choice.assign(chain.size(), kNoChoice);
    }

    ExtremePolicy find() {
        for (std::size_t i = 0; i < components_.size(); ++i) {
            if (!greatest_) {
                find_avoiding(components_.of(i));
            }
            sweep_until_still(components_.of(i));
        }
        for (int i = 0; i < kPoliciesMax && !is_over(); ++i) {
            policy_.value = value_of_policy();
            values_ = policy_.value.values;
            if (!improve()) {
                policy_.is_best = true;
                break;
            }
        }
        return std::move(policy_);
    }

  private:
    struct Option {
        double value = 0;
        std::uint64_t transition = kNoChoice;
    };

    [[nodiscard]] bool is_over() const {
        return interrupt_requested() || std::chrono::steady_clock::now() > limits_.deadline;
    }
    [[nodiscard]] bool violates(std::uint64_t transition) const {
        return violates_[chain_.label_of[transition]];
    }
    [[nodiscard]] double behind(std::uint64_t transition) const {
        return violates(transition) ? 1 : values_[chain_.targets[transition]];
    }

    // The value that nature's transitions bring, and the probability that the scheduler chooses.
    struct Row {
        double nature = 0;
        double mine = 0;
    };
    [[nodiscard]] Row row_of(StateIndex state) const {
        Row row;
        for (std::uint64_t i = chain_.offsets[state]; i < chain_.offsets[state + 1U]; ++i) {
            if (chain_.label(i).by_nature) {
                row.nature += chain_.probabilities[i] * behind(i);
            } else {
                row.mine += chain_.probabilities[i];
            }
        }
        return row;
    }

    // The best of the scheduler's transitions; the one that is chosen now wins a draw.
    [[nodiscard]] Option best_of(StateIndex state) const {
        Option best;
        if (policy_.choice[state] != kNoChoice) {
            best = {behind(policy_.choice[state]), policy_.choice[state]};
        }
        for (std::uint64_t i = chain_.offsets[state]; i < chain_.offsets[state + 1U]; ++i) {
            if (chain_.label(i).by_nature) {
                continue;
            }
            const double value = behind(i);
            const bool better = greatest_ ? value > best.value * (1 + kImprovement)
                                          : value < best.value * (1 - kImprovement);
            if (best.transition == kNoChoice || better) {
                best = {value, i};
            }
        }
        return best;
    }

    // From zero upwards. A choice is made only when it brings more than was there.
    void sweep_until_still(std::span<const StateIndex> members) {
        bool moves = true;
        for (int sweeps = 0; moves && sweeps < kSweepsMax; ++sweeps) {
            moves = false;
            for (std::size_t i = members.size(); i-- > 0;) {
                const StateIndex state = members[i];
                if (avoids_[state]) {
                    continue;
                }
                const Option best = best_of(state);
                const Row row = row_of(state);
                const double value = row.nature + row.mine * best.value;
                if (policy_.choice[state] == kNoChoice || !greatest_ ||
                    value > values_[state] * (1 + kImprovement)) {
                    policy_.choice[state] = best.transition;
                }
                moves = moves || value > values_[state] * (1 + 1e-6);
                values_[state] = std::max(values_[state], value);
            }
        }
    }

    // The states of a component from which the scheduler can avoid every violation, whatever nature
    // does: what is left when those are taken out, again and again, that cannot stay inside.
    void find_avoiding(std::span<const StateIndex> members) {
        for (const StateIndex state : members) {
            avoids_[state] = true;
        }
        bool changes = true;
        while (changes) {
            changes = false;
            for (std::size_t i = members.size(); i-- > 0;) {
                const StateIndex state = members[i];
                if (avoids_[state] && !stays_safe(state)) {
                    avoids_[state] = false;
                    changes = true;
                }
            }
        }
    }
    [[nodiscard]] bool is_safe(std::uint64_t transition) const {
        return !violates(transition) && avoids_[chain_.targets[transition]];
    }
    bool stays_safe(StateIndex state) {
        bool has_choice = false;
        std::uint64_t safe = kNoChoice;
        for (std::uint64_t i = chain_.offsets[state]; i < chain_.offsets[state + 1U]; ++i) {
            if (chain_.label(i).by_nature) {
                if (!is_safe(i)) {
                    return false;
                }
                continue;
            }
            has_choice = true;
            if (safe == kNoChoice && is_safe(i)) {
                safe = i;
            }
        }
        policy_.choice[state] = safe;
        return !has_choice || safe != kNoChoice;
    }

    [[nodiscard]] Solution value_of_policy() const {
        Chain played;
        played.labels = chain_.labels;
        played.probability_error = chain_.probability_error;
        for (StateIndex state = 0; state < chain_.size(); ++state) {
            const Row row = row_of(state);
            for (std::uint64_t i = chain_.offsets[state]; i < chain_.offsets[state + 1U]; ++i) {
                const bool by_nature = chain_.label(i).by_nature;
                if (by_nature || i == policy_.choice[state]) {
                    played.targets.push_back(chain_.targets[i]);
                    played.label_of.push_back(chain_.label_of[i]);
                    played.probabilities.push_back(by_nature ? chain_.probabilities[i] : row.mine);
                }
            }
            played.offsets.push_back(played.targets.size());
        }
        Collecting once;
        once.cut.label_stops = violates_;
        for (const bool violates : violates_) {
            once.by_label.push_back(violates ? 1 : 0);
        }
        return solve(played, components_of(played, {}), once, limits_);
    }

    bool improve() {
        bool improved = false;
        const double margin = std::max(kImprovement, limits_.precision / 10);
        for (StateIndex state = 0; state < chain_.size(); ++state) {
            if (avoids_[state] || policy_.choice[state] == kNoChoice) {
                continue;
            }
            const double now = behind(policy_.choice[state]);
            const Option best = best_of(state);
            if (greatest_ ? best.value > now * (1 + margin) : best.value < now * (1 - margin)) {
                policy_.choice[state] = best.transition;
                improved = true;
            }
        }
        return improved;
    }

    const Chain& chain_;
    const Components& components_;
    bool greatest_;
    SolverLimits limits_;
    std::vector<bool> violates_;  // by label
    std::vector<double> values_;
    std::vector<bool> avoids_;  // for the least: the violation, for ever
    ExtremePolicy policy_;
};

}  // namespace

ExtremePolicy extreme_policy(const Chain& chain, const Components& components,
                             std::uint32_t violated, bool greatest, const SolverLimits& limits) {
    return PolicySearch(chain, components, violated, greatest, limits).find();
}

void add_extremes(const ErasedSystem& system, const MeasureOptions& options,
                  const ChainGraph& graph, const SolverLimits& limits, MeasureResult& result) {
    const Chain& chain = graph.chain;
    const Components components = components_of(chain, {});
    for (std::size_t i = 0; i < result.properties.size(); ++i) {
        const std::uint32_t which = std::uint32_t{1} << i;
        PropertyRates& rates = result.properties[i];
        if ((chain.violated_at_first & which) != 0) {
            rates.extremes = ExtremeRates{1, 1, Schedule{}, Schedule{}};
            continue;
        }
        if ((chain.violated_anywhere() & which) == 0) {
            rates.extremes = ExtremeRates{};
            continue;
        }
        const ExtremePolicy least = extreme_policy(chain, components, which, false, limits);
        const ExtremePolicy most = extreme_policy(chain, components, which, true, limits);
        if (!least.is_best || !most.is_best) {
            result.limit = "bounds: no best scheduler found";
            continue;
        }
        const ScheduleSearch search(system, options, graph);
        rates.extremes = ExtremeRates{least.value.values[0], most.value.values[0],
                                      search.keeping(least, which), search.violating(most, which)};
        if (!rates.extremes->schedule_least) {
            rates.extremes->schedule_least = search.violating(least, which);
        }
    }
}

}  // namespace lockkeeper
