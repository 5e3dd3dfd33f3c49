// SPDX-License-Identifier: Apache-2.0
#include "scheduler/graph/state_graph.hpp"

#include <boost/multiprecision/cpp_int.hpp>

namespace lockkeeper {

std::optional<std::vector<StateNumber>> StateGraph::order(const GraphLimits& limits) const {
    std::vector<std::uint32_t> waits_for(states_count(), 0);
    for (const StateNumber target : targets_) {
        if (target != kCoveredState) {
            ++waits_for[target];
        }
    }
    std::vector<StateNumber> order;
    order.reserve(states_count());
    for (StateNumber id = 0; id < states_count(); ++id) {
        if (waits_for[id] == 0) {  // the initial state; others where states are covered
            order.push_back(id);
        }
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
        if (next % GraphLimits::kStatesALook == 0) {
            limits.look(bytes() + 2 * states_count() * sizeof(StateNumber));
        }
        for (std::size_t edge = first_edge(order[next]); edge < end_edge(order[next]); ++edge) {
            if (target(edge) != kCoveredState && --waits_for[target(edge)] == 0) {
                order.push_back(target(edge));
            }
        }
    }
    return order.size() == states_count() ? std::optional(std::move(order)) : std::nullopt;
}

std::string StateGraph::count_interleavings(const std::vector<StateNumber>& order,
                                            const GraphLimits& limits) const {
    using boost::multiprecision::cpp_int;
    std::vector<cpp_int> paths(states_count());
    paths[0] = 1;
    cpp_int total = 0;
    std::size_t done = 0;
    for (const StateNumber id : order) {
        if (done++ % GraphLimits::kStatesALook == 0) {
            limits.look(bytes() + states_count() * (sizeof(StateNumber) + sizeof(cpp_int)));
        }
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

}  // namespace lockkeeper
