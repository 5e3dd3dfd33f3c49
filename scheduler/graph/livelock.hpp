// SPDX-License-Identifier: Apache-2.0

// Livelock on the explored graph: a fair cycle during which one caller is inside one operation all
// the time.
//
// A cycle lies within a cyclic part of the graph. Under symmetry "the same caller" has no meaning
// there: a part in which somebody is kept from a step in any case is ruled out as it stands; of any
// other the states themselves are met again, from one of them on, and judged
// (docs/decisions/0005). Fair to each caller, to time, and to the background of each actor: the
// message of a sender that has arrived is handled some time. Faults are nobody's duty: a crash or
// resize that never comes is fair. Where virtual time has ended it is able to go on all the same: a
// cycle that is fair but for that is no livelock, and leaves the question open.
#pragma once

#include <optional>

#include "scheduler/graph/fair_cycles.hpp"
#include "scheduler/search/explorer.hpp"

namespace lockkeeper {

// A stem and a cycle, as actions from the initial state.
struct Lasso {
    std::vector<Action> actions;
    std::size_t cycle_start = 0;
};

// How many steps of the search lead to a state, the fewest when it is breadth first. Each parent is
// asked once.
template <System S>
class StepsOfSearch {
  public:
    explicit StepsOfSearch(const Reached<S>& reached) : reached_(reached) {}

    [[nodiscard]] std::size_t to(StateNumber state) {
        steps_.resize(reached_.size(), kUnknown);
        std::vector<StateNumber> way;
        StateNumber at = state;
        for (; steps_[at] == kUnknown; at = parent_of(at)) {
            way.push_back(at);
            if (at == 0) {
                steps_[0] = 0;
                break;
            }
        }
        for (auto next = way.rbegin(); next != way.rend(); ++next) {
            if (*next != 0) {
                steps_[*next] = steps_[parent_of(*next)] + 1;
            }
        }
        return steps_[state];
    }
    [[nodiscard]] std::size_t bytes() const { return steps_.capacity() * sizeof(std::uint32_t); }

  private:
    static constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;

    [[nodiscard]] StateNumber parent_of(StateNumber state) const {
        const StateId parent = reached_.store().parent(reached_.id_of(state));
        return static_cast<StateNumber>(reached_.number_of(parent));
    }

    const Reached<S>& reached_;
    std::vector<std::uint32_t> steps_;
};

template <System S>
class LivelockSearch {
  public:
    using State = typename S::State;

    // `reached`: a complete search. `parts`: of its graph.
    LivelockSearch(const S& system, const Reached<S>& reached, const CyclicParts& parts)
        : system_(system),
          reached_(reached),
          parts_(parts),
          groups_(groups_of(system)),
          steps_(reached) {}

    // Throws GraphLimitReached; what was found until then can be asked for all the same.
    void run(const GraphLimits& limits) {
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            look_at(part, limits);
            limits.look(steps_.bytes());
        }
    }

    // The one that the search came to after the fewest steps.
    [[nodiscard]] std::optional<Lasso> found() const {
        return nearest_ ? std::optional(make_lasso()) : std::nullopt;
    }

    // None was found, but a cycle that would be one if nothing came after the end of time.
    [[nodiscard]] bool is_open() const { return !nearest_ && is_open_; }

  private:
    struct Entry {
        std::size_t part;
        StateNumber state;
        std::size_t steps;
    };

    [[nodiscard]] bool is_symmetric() const { return reached_.knowledge().codec.sorts(); }

    // Callers that only their names tell apart, together, and what waits to be done for them. Of a
    // System without parts nobody knows which these are: only time is asked about.
    [[nodiscard]] static std::vector<PartySet> groups_of(const S& system) {
        std::vector<PartySet> callers;
        std::vector<PartySet> background;
        if constexpr (kHasParts<S>) {
            for (std::size_t i = 0; i < system.slots_count() && i < kCallersOfALasso; ++i) {
                if (i == 0 || system.group(i) != system.group(i - 1)) {
                    callers.push_back(0);
                    background.push_back(0);
                }
                callers.back() |= bit_of_caller(i);
                background.back() |= bit_of_background(i);
            }
        }
        std::vector<PartySet> groups{kTimeBit};
        groups.insert(groups.end(), callers.begin(), callers.end());
        groups.insert(groups.end(), background.begin(), background.end());
        return groups;
    }

    void look_at(std::size_t part, const GraphLimits& limits) {
        Representatives<S> representatives(reached_, parts_, part);
        {
            PartGraph graph = make_part_graph(system_, representatives, limits);
            if (!is_symmetric()) {
                look_at(part, graph, representatives, limits);
                return;
            }
            graph.forget_what_comes_after_the_end();
            if (!FairCycles(graph, limits).may_exist(groups_)) {
                return;
            }
        }
        StatesThemselves<S> states(reached_, parts_, part, representatives.at(0));
        PartGraph graph = make_part_graph(system_, states, limits);
        look_at(part, graph, states, limits);
    }
    template <class States>
    void look_at(std::size_t part, PartGraph& graph, const States& states,
                 const GraphLimits& limits) {
        look_at(part, FairCycles(graph, limits), graph.callers_count, states);
        if (nearest_ || is_open_ || graph.at_the_end.empty()) {
            return;
        }
        graph.forget_what_comes_after_the_end();
        const FairCycles cycles(graph, limits);
        for (std::size_t caller = 0; caller < graph.callers_count && !is_open_; ++caller) {
            cycles.find(caller,
                        [&](const FairCycles::Kept&, const FairCycles::Part&) { is_open_ = true; });
        }
    }

    template <class States>
    void look_at(std::size_t part, const FairCycles& cycles, std::size_t callers_count,
                 const States& states) {
        for (std::size_t caller = 0; caller < callers_count; ++caller) {
            cycles.find(caller, [&](const FairCycles::Kept&, const FairCycles::Part& fair) {
                for (const StateNumber place : fair) {
                    const StateNumber state = states.number(place);
                    const std::size_t steps = steps_.to(state);
                    if (!nearest_ || steps < nearest_->steps) {
                        nearest_ = {part, state, steps};
                    }
                }
            });
        }
    }

    // The way to the entry leads to one of the states that it stands for: the cycle begins there.
    // Without limits, which may have been reached: what has been found is told.
    [[nodiscard]] Lasso make_lasso() const {
        Lasso lasso;
        State entry;
        lasso.actions = reached_.path_to(reached_.id_of(nearest_->state), entry);
        lasso.cycle_start = lasso.actions.size();
        const GraphLimits no_limits;
        StatesThemselves<S> states(reached_, parts_, nearest_->part, entry);
        const PartGraph graph = make_part_graph(system_, states, no_limits);
        const FairCycles cycles(graph, no_limits);
        std::vector<Action> round;
        for (std::size_t caller = 0; caller < graph.callers_count && round.empty(); ++caller) {
            cycles.find(caller, [&](const FairCycles::Kept& kept, const FairCycles::Part& fair) {
                if (fair.front() == 0) {
                    round = cycles.round(kept, fair, 0);
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
    std::vector<PartySet> groups_;
    StepsOfSearch<S> steps_;
    std::optional<Entry> nearest_;
    bool is_open_ = false;
};

}  // namespace lockkeeper
