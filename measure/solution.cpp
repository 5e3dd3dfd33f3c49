// SPDX-License-Identifier: Apache-2.0
#include "measure/solution.hpp"

#include <algorithm>
#include <cmath>

#include "measure/measure.hpp"
#include "scheduler/graph/strong_parts.hpp"

namespace lockkeeper {
namespace {

struct ComponentsGraph {
    const Chain& chain;

    [[nodiscard]] std::size_t states_count() const { return chain.size(); }
    [[nodiscard]] std::size_t first_edge(StateIndex state) const { return chain.offsets[state]; }
    [[nodiscard]] std::size_t end_edge(StateIndex state) const { return chain.offsets[state + 1U]; }
    [[nodiscard]] StateIndex target(std::size_t edge) const { return chain.targets[edge]; }
};

constexpr double kUnit = 0x1p-52;

// A state's inflow from outside its component, and its chances to leave or to come back at once.
struct Outside {
    double inflow = 0;  // brought by the state, by transitions, and by what lies behind them
    double escape = 0;  // probability of leaving the component, or of stopping
    double itself = 0;  // of coming back at once
    double error = 0;   // relative, of inflow
    std::size_t terms = 0;
};

class Solver {
  public:
    Solver(const Chain& chain, const Collecting& collecting, const SolverLimits& limits)
        : chain_(chain), collecting_(collecting), limits_(limits) {
        solution_.values.assign(chain.size(), 0);
        solution_.errors.assign(chain.size(), 0);
    }

    Solution run(const Components& components) {
        components_ = &components;
        for (std::size_t component = 0; component < components.size(); ++component) {
            const std::span<const StateIndex> members = components.of(component);
            if (members.size() == 1) {
                solve_single(members[0]);
            } else {
                solve_many(members);
            }
        }
        return std::move(solution_);
    }

  private:
    [[nodiscard]] Outside look_outside(StateIndex state) const {
        Outside out;
        const StateIndex here = components_->component_of[state];
        out.inflow = collecting_.by_state.empty() ? 0 : collecting_.by_state[state];
        for (std::uint64_t i = chain_.offsets[state]; i < chain_.offsets[state + 1U]; ++i) {
            const double probability = chain_.probabilities[i];
            const StateIndex target = chain_.targets[i];
            ++out.terms;
            if (!collecting_.by_label.empty()) {
                out.inflow += probability * collecting_.by_label[chain_.label_of[i]];
            }
            if (collecting_.cut.stops(chain_, i)) {
                out.escape += probability;
            } else if (components_->component_of[target] != here) {
                out.escape += probability;
                const double behind = solution_.values[target];
                out.inflow += probability * behind;
                out.error = std::max(out.error, static_cast<double>(solution_.errors[target]));
            } else if (target == state) {
                out.itself += probability;
            }
        }
        return out;
    }

    [[nodiscard]] double rounding(std::size_t terms) const {
        return limits_.probability_error + static_cast<double>(terms + 3) * kUnit;
    }

    void set(StateIndex state, double value, double error) {
        solution_.values[state] = value;
        // Rounded up, so that it stays a bound.
        solution_.errors[state] = static_cast<float>(error * (1 + 0x1p-20));
    }

    void solve_single(StateIndex state) {
        if (collecting_.cut.is_fixed(state)) {
            set(state, collecting_.cut.fixed[state], 0);
            return;
        }
        if (chain_.ends(state)) {
            set(state, collecting_.at_end, 0);
            return;
        }
        const Outside out = look_outside(state);
        if (out.escape == 0) {
            set(state, out.inflow > 0 ? kInfinity : 0, 0);
        } else if (!std::isfinite(out.inflow) || (out.inflow == 0 && out.error == 0)) {
            set(state, out.inflow, 0);
        } else if (out.itself == 0) {
            set(state, out.inflow, out.error + rounding(out.terms));
        } else {
            // Leaving at last: escape + itself = 1, and the sum of escapes is exact to its terms.
            set(state, out.inflow / out.escape, out.error + 3 * rounding(out.terms));
        }
    }

    void solve_many(std::span<const StateIndex> members) {
        std::vector<Outside> outside;
        outside.reserve(members.size());
        double escape = 0;
        double inflow = 0;
        double error = 0;
        std::size_t terms = 0;
        for (const StateIndex state : members) {
            outside.push_back(look_outside(state));
            escape += outside.back().escape;
            inflow += outside.back().inflow;
            error = std::max(error, outside.back().error);
            terms = std::max(terms, outside.back().terms);
        }
        if (escape == 0 || (inflow == 0 && error == 0) || !std::isfinite(inflow)) {
            // For ever inside, nothing to bring, or something infinite that is reached from all.
            const double value = inflow > 0 ? kInfinity : 0;
            for (const StateIndex state : members) {
                set(state, value, 0);
            }
            return;
        }
        if (inflow == 0) {
            for (const StateIndex state : members) {
                set(state, 0, error);  // nothing proved behind, nothing proved here
            }
            return;
        }
        const Block block = block_of(members, outside);
        outside = {};
        const BlockSolution solved = solve_block(block, limits_);
        for (std::size_t i = 0; i < members.size(); ++i) {
            set(members[i], solved.values[i], error + rounding(terms) + solved.error);
        }
    }

    [[nodiscard]] Block block_of(std::span<const StateIndex> members,
                                 const std::vector<Outside>& outside) {
        place_.resize(chain_.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            place_[members[i]] = static_cast<StateIndex>(i);
        }
        const StateIndex here = components_->component_of[members[0]];
        Block block;
        block.offsets.reserve(members.size() + 1);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const StateIndex state = members[i];
            for (std::uint64_t k = chain_.offsets[state]; k < chain_.offsets[state + 1U]; ++k) {
                const StateIndex target = chain_.targets[k];
                if (target != state && components_->component_of[target] == here &&
                    !collecting_.cut.stops(chain_, k)) {
                    block.columns.push_back(place_[target]);
                    block.values.push_back(chain_.probabilities[k]);
                }
            }
            block.offsets.push_back(block.columns.size());
            block.escape.push_back(outside[i].escape);
            block.inflow.push_back(outside[i].inflow);
        }
        return block;
    }

    const Chain& chain_;
    const Collecting& collecting_;
    const SolverLimits& limits_;
    const Components* components_ = nullptr;
    Solution solution_;
    std::vector<StateIndex> place_;
};

}  // namespace

Components components_of(const Chain& chain, const Cut& cut) {
    Components components;
    components.component_of.resize(chain.size());
    components.members.reserve(chain.size());
    components.first.push_back(0);
    const ComponentsGraph graph{chain};
    const GraphLimits no_limits;  // the memory of a chain is limited where it is built
    StrongParts<ComponentsGraph>(graph, no_limits)
        .find([](StateIndex) { return true; },
              [&](StateIndex state, std::size_t edge) {
                  return !cut.is_fixed(state) && !cut.stops(chain, edge);
              },
              [&](const std::vector<StateIndex>& part) {
                  for (const StateIndex state : part) {
                      components.component_of[state] =
                          static_cast<StateIndex>(components.first.size() - 1);
                      components.members.push_back(state);
                  }
                  components.first.push_back(static_cast<StateIndex>(components.members.size()));
              });
    return components;
}

bool divides(const Chain& chain, const Cut& cut, const Components& components) {
    if (components.all_single() || cut.cuts_nothing()) {
        return false;
    }
    for (StateIndex state = 0; state < chain.size(); ++state) {
        const StateIndex here = components.component_of[state];
        for (std::uint64_t i = chain.offsets[state]; i < chain.offsets[state + 1U]; ++i) {
            if (components.component_of[chain.targets[i]] == here &&
                (cut.stops(chain, i) || cut.is_fixed(state))) {
                return true;
            }
        }
    }
    return false;
}

double Solution::low(StateIndex state) const {
    const double error = static_cast<double>(errors[state]);
    return error < 1 ? values[state] * (1 - error) : 0;
}

double Solution::high(StateIndex state, double most) const {
    const double error = static_cast<double>(errors[state]);
    // The bound is relative to the computed value or to the true one: the larger of both.
    return error < 1 ? std::min(most, values[state] / (1 - error)) : most;
}

Solution solve(const Chain& chain, const Components& known, const Collecting& collecting,
               const SolverLimits& limits) {
    Solver solver(chain, collecting, limits);
    if (divides(chain, collecting.cut, known)) {
        return solver.run(components_of(chain, collecting.cut));
    }
    return solver.run(known);
}

}  // namespace lockkeeper
