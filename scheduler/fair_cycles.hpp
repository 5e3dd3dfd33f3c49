// Fair cycles in a cyclic part during which one caller is inside one operation all the time.
//
// Sound and complete for weak fairness: a strongly connected part of the graph contains a fair
// cycle exactly when every party either takes a step in it or is somewhere in it unable to (a
// smaller part of it could only be fair if it were found so itself, with the same steps).
#pragma once

#include <functional>
#include <vector>

#include "scheduler/part_graph.hpp"

namespace lockkeeper {

class FairCycles {
  public:
    using Part = std::vector<StateNumber>;  // ascending

    FairCycles(const PartGraph& graph, const GraphLimits& limits)
        : graph_(graph), limits_(limits) {}

    // Each strongly connected part, of the edges that keep the caller inside its operation, that
    // has a fair cycle. Throws GraphLimitReached.
    void find(std::size_t caller, const std::function<void(const Part&)>& take) const;

    // Round inside such a part, from `entry` back to it: every party takes a step, or is unable to
    // in some state.
    [[nodiscard]] std::vector<Action> round(std::size_t caller, const Part& part,
                                            StateNumber entry) const;

    // False: nobody is inside a call, or every cycle of the graph keeps somebody from a step that
    // is always possible. `groups`: the parties that are asked about, those together that a graph
    // of representatives does not tell apart.
    [[nodiscard]] bool may_exist(const std::vector<PartySet>& groups) const;

  private:
    struct Way {
        std::size_t caller;
        const Part& part;
        StateNumber at;
        std::vector<Action> actions;
        PartySet treated_fairly;  // have taken a step, or been unable to
    };
    // Where an edge leads, and the edge.
    using Satisfies = std::function<bool(StateNumber, const PartGraph::Edge&)>;

    [[nodiscard]] bool usable(std::size_t caller, StateNumber from, std::size_t edge) const;
    [[nodiscard]] bool is_fair(std::size_t caller, const Part& part) const;
    void go_on(Way& way, const Satisfies& satisfies) const;

    const PartGraph& graph_;
    const GraphLimits& limits_;
};

}  // namespace lockkeeper
