// SPDX-License-Identifier: Apache-2.0

// The strongly connected parts of a graph: Tarjan's algorithm (SIAM Journal on Computing 1, 1972),
// without recursion. For the graph of a search, small graphs made of a part of it, and chains.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/graph/graph_limits.hpp"

namespace lockkeeper {

// Graph: states_count(), first_edge(state), end_edge(state), target(edge). Begins at the states
// that is_root(state) names, goes over the edges that usable(state, edge) allows, and hands each
// part to take(part), its states in ascending order, after those that it leads to. Throws
// GraphLimitReached.
template <class Graph>
class StrongParts {
  public:
    using StateNumber = std::uint32_t;

    StrongParts(const Graph& graph, const GraphLimits& limits)
        : graph_(graph),
          limits_(limits),
          index_(graph.states_count(), kUnseen),
          low_(graph.states_count(), 0) {}

    // Only the parts in which a run can go round.
    template <class Root, class Usable, class Take>
    void find_cyclic(Root is_root, Usable usable, Take take) {
        find(is_root, usable, [&](const std::vector<StateNumber>& part) {
            if (part.size() > 1 || has_own_edge(part.front(), usable)) {
                take(part);
            }
        });
    }

    template <class Root, class Usable, class Take>
    void find(Root is_root, Usable usable, Take take) {
        for (StateNumber root = 0; root < index_.size(); ++root) {
            if (index_[root] == kUnseen && is_root(root)) {
                search_from(root, usable, take);
            }
        }
    }

  private:
    static constexpr std::uint32_t kUnseen = 0xFFFFFFFFU;
    static constexpr std::uint32_t kDone = 0xFFFFFFFEU;  // its part has been taken

    template <class Usable>
    [[nodiscard]] bool has_own_edge(StateNumber state, Usable usable) const {
        for (std::size_t edge = graph_.first_edge(state); edge < graph_.end_edge(state); ++edge) {
            if (graph_.target(edge) == state && usable(state, edge)) {
                return true;
            }
        }
        return false;
    }

    struct Visit {
        StateNumber state;
        std::size_t next_edge;
    };

    void enter(StateNumber state) {
        index_[state] = low_[state] = next_index_++;
        stack_.push_back(state);
        work_.push_back({state, graph_.first_edge(state)});
        if (next_index_ % GraphLimits::kStatesALook == 0) {
            limits_.look(bytes());
        }
    }
    [[nodiscard]] std::size_t bytes() const {
        return (index_.capacity() + low_.capacity() + stack_.capacity() + part_.capacity()) *
                   sizeof(StateNumber) +
               work_.capacity() * sizeof(Visit);
    }

    template <class Usable, class Take>
    void search_from(StateNumber root, Usable usable, Take take) {
        enter(root);
        while (!work_.empty()) {
            const StateNumber state = work_.back().state;
            if (work_.back().next_edge < graph_.end_edge(state)) {
                const std::size_t edge = work_.back().next_edge++;
                const StateNumber target = graph_.target(edge);
                if (index_[target] == kDone || !usable(state, edge)) {
                    continue;
                }
                if (index_[target] == kUnseen) {
                    enter(target);
                } else {
                    low_[state] = std::min(low_[state], index_[target]);
                }
                continue;
            }
            work_.pop_back();
            if (!work_.empty()) {
                StateNumber& low = low_[work_.back().state];
                low = std::min(low, low_[state]);
            }
            if (low_[state] == index_[state]) {
                take_part(state, take);
            }
        }
    }

    template <class Take>
    void take_part(StateNumber root, Take take) {
        part_.clear();
        StateNumber state = root;
        do {
            state = stack_.back();
            stack_.pop_back();
            index_[state] = kDone;
            part_.push_back(state);
        } while (state != root);
        std::sort(part_.begin(), part_.end());
        take(part_);
    }

    const Graph& graph_;
    const GraphLimits& limits_;
    std::vector<std::uint32_t> index_;
    std::vector<std::uint32_t> low_;
    std::uint32_t next_index_ = 0;
    std::vector<StateNumber> stack_;
    std::vector<Visit> work_;
    std::vector<StateNumber> part_;
};

}  // namespace lockkeeper
