// SPDX-License-Identifier: Apache-2.0

// Fair cycles in a cyclic part during which one caller is inside one operation all the time.
//
// Sound and complete for weak fairness: a strongly connected part of the graph contains a fair
// cycle exactly when every party either takes a step in it or is somewhere in it unable to (a
// smaller part of it could only be fair if it were found so itself, with the same steps).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "scheduler/graph/part_graph.hpp"

namespace lockkeeper {

class FairCycles {
  public:
    using Part = std::vector<StateNumber>;  // ascending

    // A caller that stays inside one operation, and what it is refused there, if anything: nobody
    // may ever hold so much of it.
    struct Kept {
        std::size_t caller = 0;
        std::optional<Asked> asked;
    };

    FairCycles(const PartGraph& graph, const GraphLimits& limits)
        : graph_(graph), limits_(limits) {}

    // Each strongly connected part, of the edges that keep the caller inside its operation, that
    // has a fair cycle; one for each capacity that it is refused there. Throws GraphLimitReached.
    void find(std::size_t caller, const std::function<void(const Kept&, const Part&)>& take) const;

    // Round inside such a part, from `entry` back to it: every party takes a step, or is unable to
    // in some state.
    [[nodiscard]] std::vector<Action> round(const Kept& kept, const Part& part,
                                            StateNumber entry) const;

    // False: nobody is inside a call, or every cycle of the graph keeps somebody from a step that
    // is always possible. `groups`: the parties that are asked about, those together that a graph
    // of representatives does not tell apart.
    [[nodiscard]] bool may_exist(const std::vector<PartySet>& groups) const;

  private:
    struct Way {
        Kept kept;
        const Part& part;
        StateNumber at;
        std::vector<Action> actions;
        PartySet treated_fairly;  // have taken a step, or been unable to
    };
    // Where an edge leads, and the edge.
    using Satisfies = std::function<bool(StateNumber, const PartGraph::Edge&)>;

    [[nodiscard]] bool stays(const Kept& kept, StateNumber state) const;
    [[nodiscard]] bool usable(const Kept& kept, StateNumber from, std::size_t edge) const;
    [[nodiscard]] std::set<Asked> asked_by(std::size_t caller) const;
    void find(const Kept& kept, const std::function<void(const Kept&, const Part&)>& take) const;
    [[nodiscard]] bool is_fair(const Kept& kept, const Part& part) const;
    void go_on(Way& way, const Satisfies& satisfies) const;

    const PartGraph& graph_;
    const GraphLimits& limits_;
};

}  // namespace lockkeeper
