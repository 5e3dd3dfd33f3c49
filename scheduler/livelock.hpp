// Livelock on the explored graph: a fair cycle during which one caller is inside one operation all
// the time.
//
// A cycle lies within a cyclic part of the graph. Under symmetry "the same caller" has no meaning
// there: a part in which somebody is kept from a step in any case is ruled out as it stands; of any
// other the states themselves are met again, from one of them on, and judged
// (docs/decisions/0005). Faults are nobody's duty: a crash or resize that never comes is fair.
#pragma once

#include <optional>

#include "scheduler/explorer.hpp"
#include "scheduler/fair_cycles.hpp"

namespace lockkeeper {

// A stem and a cycle, as actions from the initial state.
struct Lasso {
    std::vector<Action> actions;
    std::size_t cycle_start = 0;
};

template <System S>
class LivelockSearch {
  public:
    using State = typename S::State;

    // Of a complete search; `parts` of its graph.
    LivelockSearch(const S& system, const Reached<S>& reached, const CyclicParts& parts,
                   const GraphLimits& limits)
        : system_(system),
          reached_(reached),
          parts_(parts),
          limits_(limits),
          groups_(groups_of(system)) {}

    // One that is entered after the fewest steps.
    [[nodiscard]] std::optional<Lasso> find() {
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            look_at(part);
        }
        return nearest_ ? std::optional(make_lasso()) : std::nullopt;
    }

  private:
    struct Entry {
        std::size_t part;
        StateNumber state;
        std::size_t steps;
    };

    [[nodiscard]] bool is_symmetric() const { return reached_.knowledge().codec.sorts(); }

    // Callers that only their names tell apart, together; everybody else alone.
    [[nodiscard]] static std::vector<PartySet> groups_of(const S& system) {
        std::vector<PartySet> groups{kBackgroundBit, kTimeBit};
        if constexpr (PartedSystem<S> || RuntimePartedSystem<S>) {
            for (std::size_t i = 0; i < system.slots_count() && i < kCallersOfALasso; ++i) {
                const bool goes_on = i > 0 && system.group(i) == system.group(i - 1);
                goes_on ? void(groups.back() |= 1U << i) : groups.push_back(1U << i);
            }
        }
        return groups;
    }

    void look_at(std::size_t part) {
        Representatives<S> representatives(reached_, parts_, part);
        const PartGraph graph = make_part_graph(system_, representatives, limits_);
        if (!is_symmetric()) {
            look_at(part, graph, representatives);
        } else if (FairCycles(graph).may_exist(groups_)) {
            StatesThemselves<S> states(reached_, parts_, part, representatives.at(0));
            const PartGraph met = make_part_graph(system_, states, limits_);
            look_at(part, met, states);
        }
    }

    template <class States>
    void look_at(std::size_t part, const PartGraph& graph, const States& states) {
        const FairCycles cycles(graph);
        for (std::size_t caller = 0; caller < graph.callers_count; ++caller) {
            cycles.find(caller, [&](const FairCycles::Part& fair) {
                for (const StateNumber place : fair) {
                    const StateNumber state = states.number(place);
                    const std::size_t steps = reached_.steps_to(reached_.id_of(state));
                    if (!nearest_ || steps < nearest_->steps) {
                        nearest_ = {part, state, steps};
                    }
                }
            });
        }
    }

    // The way to the entry leads to one of the states that it stands for: the cycle begins there.
    [[nodiscard]] Lasso make_lasso() {
        Lasso lasso;
        State entry;
        lasso.actions = reached_.path_to(reached_.id_of(nearest_->state), entry);
        lasso.cycle_start = lasso.actions.size();
        StatesThemselves<S> states(reached_, parts_, nearest_->part, entry);
        const PartGraph graph = make_part_graph(system_, states, limits_);
        const FairCycles cycles(graph);
        std::vector<Action> round;
        for (std::size_t caller = 0; caller < graph.callers_count && round.empty(); ++caller) {
            cycles.find(caller, [&](const FairCycles::Part& fair) {
                if (fair.front() == 0) {
                    round = cycles.round(caller, fair, 0);
                }
            });
        }
        LOCKKEEPER_CHECK(!round.empty());
        lasso.actions.insert(lasso.actions.end(), round.begin(), round.end());
        return lasso;
    }

    const S& system_;
    const Reached<S>& reached_;
    const CyclicParts& parts_;
    const GraphLimits& limits_;
    std::vector<PartySet> groups_;
    std::optional<Entry> nearest_;
};

}  // namespace lockkeeper
