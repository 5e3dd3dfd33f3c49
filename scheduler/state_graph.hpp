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
#include "scheduler/state_lookup.hpp"

namespace lockkeeper {

using StateNumber = std::uint32_t;

template <System S>
class StateGraph {
  public:
    using State = typename S::State;

    // Needs a complete exploration with exact storage and without reduction.
    StateGraph(const S& system, const Explorer<S>& explorer) {
        const Reached<S>& reached = explorer.reached();
        StateLookup<S> successors(reached);
        ActionList actions;
        first_edge_.reserve(reached.size() + 1);
        for (std::size_t number = 0; number < reached.size(); ++number) {
            first_edge_.push_back(actions_.size());
            const State from = reached.state_at(number);
            const std::uint64_t* record = reached.store().record(reached.id_of(number));
            system.enabled(from, actions);
            for (Action action : actions) {
                State after = from;
                system.apply(after, action);
                successors.add(from, record, after);
                actions_.push_back(action);
            }
            if (successors.is_full()) {
                successors.take(targets_);
            }
        }
        successors.take(targets_);
        first_edge_.push_back(actions_.size());
    }

    [[nodiscard]] std::size_t states_count() const { return first_edge_.size() - 1; }
    [[nodiscard]] std::size_t first_edge(StateNumber id) const { return first_edge_[id]; }
    [[nodiscard]] std::size_t end_edge(StateNumber id) const { return first_edge_[id + 1]; }
    [[nodiscard]] StateNumber target(std::size_t edge) const { return targets_[edge]; }
    [[nodiscard]] Action action(std::size_t edge) const { return actions_[edge]; }

    // Every state before those that follow it; nothing when there is a cycle.
    [[nodiscard]] std::optional<std::vector<StateNumber>> order() const {
        std::vector<std::uint32_t> waits_for(states_count(), 0);
        for (const StateNumber target : targets_) {
            ++waits_for[target];
        }
        std::vector<StateNumber> order;
        order.reserve(states_count());
        if (waits_for[0] == 0) {  // every other state has been reached from somewhere
            order.push_back(0);
        }
        for (std::size_t next = 0; next < order.size(); ++next) {
            for (std::size_t edge = first_edge(order[next]); edge < end_edge(order[next]); ++edge) {
                if (--waits_for[target(edge)] == 0) {
                    order.push_back(target(edge));
                }
            }
        }
        return order.size() == states_count() ? std::optional(std::move(order)) : std::nullopt;
    }

    // How many paths lead from the initial state to an end.
    // With symmetry each path of the reduced graph is counted as often as the full one has it,
    // because a representative has as many actions as each state that it stands for.
    [[nodiscard]] std::string count_interleavings(const std::vector<StateNumber>& order) const {
        using boost::multiprecision::cpp_int;
        std::vector<cpp_int> paths(states_count());
        paths[0] = 1;
        cpp_int total = 0;
        for (const StateNumber id : order) {
            if (first_edge(id) == end_edge(id)) {
                total += paths[id];
            }
            for (std::size_t edge = first_edge(id); edge < end_edge(id); ++edge) {
                paths[target(edge)] += paths[id];
            }
            paths[id] = cpp_int();
        }
        return total.str();
    }

  private:
    std::vector<std::size_t> first_edge_;
    std::vector<StateNumber> targets_;
    std::vector<Action> actions_;
};

}  // namespace lockkeeper
