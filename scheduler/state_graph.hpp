// The explored graph as arrays: who follows whom, by which action. States have numbers without
// gaps; number 0 is the initial state. Built from an exact store, without reduction, by expanding
// every state once more; asked for what single states cannot tell (how many
// interleavings there are, whether there is a cycle, livelock).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "scheduler/explorer.hpp"

namespace lockkeeper {

using StateNumber = std::uint32_t;

template <System S>
class StateGraph {
  public:
    using State = typename S::State;

    // Needs a complete exploration with exact storage and without reduction.
    StateGraph(const S& system, const Explorer<S>& explorer) {
        ActionList actions;
        const std::size_t size = explorer.reached().size();
        first_edge_.reserve(size + 1);
        for (std::size_t number = 0; number < size; ++number) {
            first_edge_.push_back(targets_.size());
            const State from = explorer.reached().state_at(number);
            system.enabled(from, actions);
            for (Action action : actions) {
                State after = from;
                system.apply(after, action);
                targets_.push_back(static_cast<StateNumber>(explorer.reached().number_of(after)));
                actions_.push_back(action);
            }
        }
        first_edge_.push_back(targets_.size());
    }

    [[nodiscard]] std::size_t states_count() const { return first_edge_.size() - 1; }
    [[nodiscard]] std::size_t first_edge(StateNumber id) const { return first_edge_[id]; }
    [[nodiscard]] std::size_t end_edge(StateNumber id) const { return first_edge_[id + 1]; }
    [[nodiscard]] StateNumber target(std::size_t edge) const { return targets_[edge]; }
    [[nodiscard]] Action action(std::size_t edge) const { return actions_[edge]; }

    // How many paths lead from the initial state to an end; nothing when there is a cycle.
    // With symmetry each path of the reduced graph is counted as often as the full one has it,
    // because a representative has as many actions as each state that it stands for.
    [[nodiscard]] std::optional<std::string> count_interleavings() const {
        using boost::multiprecision::cpp_int;
        std::vector<std::uint32_t> waits_for(states_count(), 0);
        for (const StateNumber target : targets_) {
            ++waits_for[target];
        }
        if (waits_for[0] != 0) {
            return std::nullopt;  // the initial state is on a cycle
        }
        std::vector<cpp_int> paths(states_count());
        paths[0] = 1;
        cpp_int total = 0;
        std::size_t done = 0;
        std::vector<StateNumber> ready{0};
        while (!ready.empty()) {
            const StateNumber id = ready.back();
            ready.pop_back();
            ++done;
            if (first_edge(id) == end_edge(id)) {
                total += paths[id];
            }
            for (std::size_t edge = first_edge(id); edge < end_edge(id); ++edge) {
                const StateNumber next = target(edge);
                paths[next] += paths[id];
                if (--waits_for[next] == 0) {
                    ready.push_back(next);
                }
            }
            paths[id] = cpp_int();
        }
        if (done != states_count()) {
            return std::nullopt;
        }
        return total.str();
    }

  private:
    std::vector<std::size_t> first_edge_;
    std::vector<StateNumber> targets_;
    std::vector<Action> actions_;
};

}  // namespace lockkeeper
