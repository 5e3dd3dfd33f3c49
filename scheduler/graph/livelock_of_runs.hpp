// SPDX-License-Identifier: Apache-2.0

// Livelock among the states that single runs have met (`fuzz`). Every state that a run was in is
// kept as it is, without symmetry; the graph of those states has every step from one to another,
// whether a run took it or not, and in each state everybody who can act, whether the step leads to
// a known state or not. So it is a part of the graph that `explore` judges, and its fair cycles are
// fair there: who is able to act in all states of a cycle acts in it. What lies beyond the states
// that runs have met is not seen: finding nothing says nothing.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include "scheduler/graph/fair_cycles.hpp"
#include "scheduler/graph/livelock.hpp"

namespace lockkeeper {

template <System S>
class LivelockOfRuns {
  public:
    using State = typename S::State;
    // After so many states no state is added.
    static constexpr std::size_t kStatesMost = 32'768;

    explicit LivelockOfRuns(const S& system)
        : system_(system), known_(LongBytes(used_bytes_of(system))) {
        add(system.initial());
    }

    // A run from the initial state.
    void add(const std::vector<Action>& actions) {
        State state = system_.initial();
        for (const Action action : actions) {
            if (known_.size() >= kStatesMost) {
                break;
            }
            system_.apply(state, action);
            add(state);
        }
        steps_walked_ += actions.size();
    }

    // The graph is made anew each time: as long as all of them go over
    // twice as many states as the runs have steps.
    [[nodiscard]] bool is_worth_a_search() const {
        constexpr std::size_t kAlways = 1'000;
        return has_news() && states_searched_ + known_.size() <= 2 * steps_walked_ + kAlways;
    }
    // Since the last search.
    [[nodiscard]] bool has_news() const { return known_.size() > size_searched_; }

    // The way to it and its length are the shortest that the graph knows. Throws
    // GraphLimitReached, LimitExceeded.
    [[nodiscard]] std::optional<Lasso> find(const GraphLimits& limits) {
        size_searched_ = known_.size();
        states_searched_ += known_.size();
        const PartGraph graph = make_part_graph(system_, *this, limits);
        const FairCycles cycles(graph, limits);
        const Ways ways = ways_in(graph);
        std::optional<Lasso> nearest;
        std::uint32_t steps = kUnknown;
        for (std::size_t caller = 0; caller < graph.callers_count; ++caller) {
            cycles.find(caller, [&](const FairCycles::Kept& kept, const FairCycles::Part& part) {
                const StateNumber entry = *std::min_element(
                    part.begin(), part.end(), [&](StateNumber left, StateNumber right) {
                        return ways.steps[left] < ways.steps[right];
                    });
                if (ways.steps[entry] < steps) {
                    steps = ways.steps[entry];
                    nearest = lasso(ways, cycles, kept, part, entry);
                }
            });
        }
        return nearest;
    }

    // For make_part_graph().
    [[nodiscard]] std::size_t size() const { return known_.size(); }
    [[nodiscard]] State at(StateNumber place) const {
        State state;
        std::memset(static_cast<void*>(&state), 0, sizeof(state));
        std::memcpy(static_cast<void*>(&state), known_.value(place), known_.part().size());
        return state;
    }
    bool place_of(const State& state, StateNumber& place) const {
        place = known_.find(bytes_of(state));
        return place != PartTable<LongBytes>::kUnknown;
    }
    [[nodiscard]] std::size_t bytes() const { return known_.bytes(); }

  private:
    static constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;

    // The shortest ways from the initial state: all states were reached from there.
    struct Ways {
        std::vector<std::uint32_t> steps;
        std::vector<StateNumber> before;
        std::vector<Action> by;
    };

    [[nodiscard]] static const std::byte* bytes_of(const State& state) {
        return reinterpret_cast<const std::byte*>(&state);
    }
    void add(const State& state) { known_.find_or_add(bytes_of(state)); }

    [[nodiscard]] static Ways ways_in(const PartGraph& graph) {
        const std::size_t states = graph.states_count();
        Ways ways{std::vector<std::uint32_t>(states, kUnknown), std::vector<StateNumber>(states),
                  std::vector<Action>(states)};
        ways.steps[0] = 0;
        std::vector<StateNumber> queue{0};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const StateNumber from = queue[next];
            for (std::size_t edge = graph.first_edge(from); edge < graph.end_edge(from); ++edge) {
                const StateNumber target = graph.target(edge);
                if (ways.steps[target] == kUnknown) {
                    ways.steps[target] = ways.steps[from] + 1;
                    ways.before[target] = from;
                    ways.by[target] = graph.edges[edge].action;
                    queue.push_back(target);
                }
            }
        }
        LOCKKEEPER_CHECK(queue.size() == states);
        return ways;
    }
    [[nodiscard]] static Lasso lasso(const Ways& ways, const FairCycles& cycles,
                                     const FairCycles::Kept& kept, const FairCycles::Part& part,
                                     StateNumber entry) {
        Lasso lasso;
        for (StateNumber at = entry; at != 0; at = ways.before[at]) {
            lasso.actions.push_back(ways.by[at]);
        }
        std::reverse(lasso.actions.begin(), lasso.actions.end());
        lasso.cycle_start = lasso.actions.size();
        const std::vector<Action> round = cycles.round(kept, part, entry);
        lasso.actions.insert(lasso.actions.end(), round.begin(), round.end());
        return lasso;
    }

    const S& system_;
    PartTable<LongBytes> known_;
    std::size_t steps_walked_ = 0;
    std::size_t states_searched_ = 0;  // in all searches
    std::size_t size_searched_ = 0;    // in the last one
};

}  // namespace lockkeeper
