// SPDX-License-Identifier: Apache-2.0
#include "measure/components.hpp"

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

}  // namespace lockkeeper
