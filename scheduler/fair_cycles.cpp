#include "scheduler/fair_cycles.hpp"

#include <algorithm>
#include <map>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

bool contains(const FairCycles::Part& part, StateNumber state) {
    return std::binary_search(part.begin(), part.end(), state);
}

}  // namespace

bool FairCycles::usable(std::size_t caller, StateNumber from, std::size_t edge) const {
    const PartySet mine = bit_of_caller(caller);
    const PartGraph::Edge& step = graph_.edges[edge];
    const bool own = step.action.kind == ActionKind::kStep && step.action.actor == caller;
    return (graph_.inside[from] & graph_.inside[step.target] & mine) != 0 && !(own && step.ends);
}

void FairCycles::find(std::size_t caller, const std::function<void(const Part&)>& take) const {
    const PartySet mine = bit_of_caller(caller);
    const auto is_inside = [&](PartySet inside) { return (inside & mine) != 0; };
    if (std::none_of(graph_.inside.begin(), graph_.inside.end(), is_inside)) {
        return;
    }
    StrongParts<PartGraph>(graph_, limits_)
        .find_cyclic([&](StateNumber state) { return is_inside(graph_.inside[state]); },
                     [&](StateNumber from, std::size_t edge) { return usable(caller, from, edge); },
                     [&](const Part& part) {
                         if (is_fair(caller, part)) {
                             take(part);
                         }
                     });
}

// For each party: a step inside the part, or a state of it in which the party cannot step.
bool FairCycles::is_fair(std::size_t caller, const Part& part) const {
    PartySet moves = 0;
    PartySet always_able = ~PartySet{0};
    for (const StateNumber state : part) {
        always_able &= graph_.able[state];
        for (std::size_t edge = graph_.first[state]; edge < graph_.end_edge(state); ++edge) {
            if (contains(part, graph_.target(edge)) && usable(caller, state, edge)) {
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

std::vector<Action> FairCycles::round(std::size_t caller, const Part& part,
                                      StateNumber entry) const {
    Way way{caller, part, entry, {}, ~graph_.able[entry]};
    for (std::size_t i = 0; i < kParties; ++i) {
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
            const auto& [target, action, ends] = graph_.edges[edge];
            if (!contains(way.part, target) || !usable(way.caller, state, edge)) {
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
