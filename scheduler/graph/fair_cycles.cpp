// SPDX-License-Identifier: Apache-2.0
#include "scheduler/graph/fair_cycles.hpp"

#include <algorithm>
#include <map>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

bool contains(const FairCycles::Part& part, StateNumber state) {
    return std::binary_search(part.begin(), part.end(), state);
}

bool is_step_of(std::size_t caller, const PartGraph::Edge& edge) {
    return edge.action.kind == ActionKind::kStep && edge.action.actor == caller;
}

}  // namespace

bool FairCycles::stays(const Kept& kept, StateNumber state) const {
    return (graph_.inside[state] & bit_of_caller(kept.caller)) != 0 &&
           (!kept.asked || graph_.is_free(state, *kept.asked));
}

// A try that is refused what others hold in no state of a cycle does not end the call.
bool FairCycles::usable(const Kept& kept, StateNumber from, std::size_t edge) const {
    const PartGraph::Edge& step = graph_.edges[edge];
    if (!stays(kept, from) || !stays(kept, step.target)) {
        return false;
    }
    const bool own = is_step_of(kept.caller, step);
    if (!own || step.refused == PartGraph::kNotRefused) {
        return !own || !step.ends;
    }
    const Asked& refused = graph_.asked[step.refused];
    return !step.ends && kept.asked && refused.key == kept.asked->key &&
           refused.capacity >= kept.asked->capacity;
}

std::set<Asked> FairCycles::asked_by(std::size_t caller) const {
    std::set<Asked> asked;
    for (const PartGraph::Edge& edge : graph_.edges) {
        if (edge.refused != PartGraph::kNotRefused && is_step_of(caller, edge)) {
            asked.insert(graph_.asked[edge.refused]);
        }
    }
    return asked;
}

void FairCycles::find(std::size_t caller,
                      const std::function<void(const Kept&, const Part&)>& take) const {
    find(Kept{caller, std::nullopt}, take);
    for (const Asked& asked : asked_by(caller)) {
        find(Kept{caller, asked}, take);
    }
}

void FairCycles::find(const Kept& kept,
                      const std::function<void(const Kept&, const Part&)>& take) const {
    StrongParts<PartGraph>(graph_, limits_)
        .find_cyclic([&](StateNumber state) { return stays(kept, state); },
                     [&](StateNumber from, std::size_t edge) { return usable(kept, from, edge); },
                     [&](const Part& part) {
                         if (is_fair(kept, part)) {
                             take(kept, part);
                         }
                     });
}

// For each party: a step inside the part, or a state of it in which the party cannot step.
bool FairCycles::is_fair(const Kept& kept, const Part& part) const {
    PartySet moves = 0;
    PartySet always_able = ~PartySet{0};
    for (const StateNumber state : part) {
        always_able &= graph_.able[state];
        for (std::size_t edge = graph_.first[state]; edge < graph_.end_edge(state); ++edge) {
            if (contains(part, graph_.target(edge)) && usable(kept, state, edge)) {
                moves |= bit_of(graph_.edges[edge].action);
            }
        }
    }
    return (always_able & ~moves) == 0;
}

bool FairCycles::may_exist(const std::vector<PartySet>& groups) const {
    PartySet moves = 0;
    PartySet always_able = ~PartySet{0};
    PartySet inside = 0;
    for (const PartySet able : graph_.able) {
        always_able &= able;
    }
    for (const PartySet callers : graph_.inside) {
        inside |= callers;
    }
    for (const PartGraph::Edge& edge : graph_.edges) {
        moves |= bit_of(edge.action);
    }
    return inside != 0 && std::none_of(groups.begin(), groups.end(), [&](PartySet group) {
               return (always_able & group) == group && (moves & group) == 0;
           });
}

std::vector<Action> FairCycles::round(const Kept& kept, const Part& part, StateNumber entry) const {
    Way way{kept, part, entry, {}, ~graph_.able[entry]};
    for (std::size_t i = 0; i < kPartiesMost; ++i) {
        const PartySet party = PartySet{1} << i;
        if ((way.treated_fairly & party) == 0) {
            go_on(way, [&](StateNumber at, const PartGraph::Edge& edge) {
                return bit_of(edge.action) == party || (graph_.able[at] & party) == 0;
            });
        }
    }
    // At least one step, then home.
    if (way.actions.empty()) {
        go_on(way, [](StateNumber, const PartGraph::Edge&) { return true; });
    }
    if (way.at != entry) {
        go_on(way, [&](StateNumber at, const PartGraph::Edge&) { return at == entry; });
    }
    return way.actions;
}

// By the fewest steps inside the part to one that satisfies.
void FairCycles::go_on(Way& way, const Satisfies& satisfies) const {
    std::map<StateNumber, std::pair<StateNumber, Action>> came;
    std::vector<StateNumber> queue{way.at};
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const StateNumber state = queue[next];
        for (std::size_t edge = graph_.first[state]; edge < graph_.end_edge(state); ++edge) {
            const StateNumber target = graph_.target(edge);
            const Action action = graph_.edges[edge].action;
            if (!contains(way.part, target) || !usable(way.kept, state, edge)) {
                continue;
            }
            if (satisfies(target, graph_.edges[edge])) {
                std::vector<Action> steps{action};
                way.treated_fairly |= bit_of(action) | ~graph_.able[target];
                for (StateNumber back = state; back != way.at; back = came[back].first) {
                    steps.push_back(came[back].second);
                    way.treated_fairly |= bit_of(steps.back()) | ~graph_.able[back];
                }
                way.actions.insert(way.actions.end(), steps.rbegin(), steps.rend());
                way.at = target;
                return;
            }
            if (target != way.at && came.try_emplace(target, state, action).second) {
                queue.push_back(target);
            }
        }
    }
    unreachable("a strongly connected part can be walked");
}

}  // namespace lockkeeper
