// Livelock on the explored graph: a fair cycle during which one caller is inside one operation all
// the time. Sound and complete for weak fairness: a strongly connected part of the graph contains
// a fair cycle exactly when every party either takes a step in it or is somewhere in it unable to
// (a smaller part of it could only be fair if it were found so itself, with the same steps).
//
// Judged on the unreduced graph only: under symmetry "the same caller" would lose its meaning.
// Faults are nobody's duty: a crash or resize that never comes is fair.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "scheduler/state_graph.hpp"

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

    LivelockSearch(const S& system, const Explorer<S>& explorer, const StateGraph<S>& graph)
        : system_(system), explorer_(explorer), graph_(graph) {
        look_at_states();
        look_at_edges();
    }

    [[nodiscard]] std::optional<Lasso> find() {
        for (std::size_t caller = 0; caller < callers_count_; ++caller) {
            if (auto lasso = find_for(caller)) {
                return lasso;
            }
        }
        return std::nullopt;
    }

  private:
    using Parties = std::uint32_t;  // bit i: caller i; bit 31: the background; bit 30: time
    static constexpr Parties kBackground = 1U << 31U;
    static constexpr Parties kTime = 1U << 30U;
    static constexpr std::size_t kCallersOfALasso = 30;

    static Parties bit(Action action) {
        switch (action.kind) {
            case ActionKind::kStep: return 1U << action.actor;
            case ActionKind::kBackground: return kBackground;
            case ActionKind::kTime: return kTime;
            default: return 0;
        }
    }

    void look_at_states() {
        const std::size_t size = graph_.states_count();
        inside_.resize(size);
        able_.resize(size);
        Observation observation;
        for (StateNumber id = 0; id < size; ++id) {
            system_.observe(explorer_.reached().state_at(id), observation);
            callers_count_ = observation.callers_count;
            if (callers_count_ > kCallersOfALasso) {
                throw LimitExceeded("livelock is searched for among at most " +
                                    std::to_string(kCallersOfALasso) + " callers");
            }
            for (std::size_t i = 0; i < callers_count_; ++i) {
                inside_[id] |= observation.callers[i].calling ? 1U << i : 0U;
            }
            for (std::size_t edge = graph_.first_edge(id); edge < graph_.end_edge(id); ++edge) {
                able_[id] |= bit(graph_.action(edge));
            }
        }
    }

    // Which edges end a call, and which refuse a retried acquire while its capacity was free.
    void look_at_edges() {
        for (StateNumber id = 0; id < graph_.states_count(); ++id) {
            for (std::size_t edge = graph_.first_edge(id); edge < graph_.end_edge(id); ++edge) {
                State after = explorer_.reached().state_at(id);
                const Event event = system_.apply(after, graph_.action(edge));
                const bool returns = (event.what & (kAcquired | kReleased | kFailed | kDone)) != 0;
                // A refused retry stays inside; whether for a reason, the holders then say.
                const bool refused_for_a_reason =
                    event.is(kRefused) && held(after, event.key) >= event.capacity;
                ends_.push_back(returns || refused_for_a_reason ||
                                (event.is(kRefused) && !calling(after, event.caller)));
            }
        }
    }

    std::uint32_t held(const State& state, std::size_t key) {
        system_.observe(state, observation_);
        return observation_.keys[key].believed;
    }
    bool calling(const State& state, std::size_t caller) {
        system_.observe(state, observation_);
        return observation_.callers[caller].calling;
    }

    [[nodiscard]] bool usable(std::size_t caller, StateNumber from, std::size_t edge) const {
        const Parties mine = 1U << caller;
        const Action action = graph_.action(edge);
        const bool own = action.kind == ActionKind::kStep && action.actor == caller;
        return (inside_[from] & mine) != 0 && (inside_[graph_.target(edge)] & mine) != 0 &&
               !(own && ends_[edge]);
    }

    std::optional<Lasso> find_for(std::size_t caller) {
        const auto parts = strong_components(caller);
        const std::vector<StateNumber>* nearest = nullptr;
        Entry entry;
        for (const std::vector<StateNumber>& part : parts) {
            if (is_fair(caller, part)) {
                const Entry here = entry_of(part);
                if (nearest == nullptr || here.steps < entry.steps) {
                    nearest = &part;
                    entry = here;
                }
            }
        }
        return nearest == nullptr ? std::nullopt
                                  : std::optional(make_lasso(caller, *nearest, entry.state));
    }

    // The state of a part that is reached in the fewest steps.
    struct Entry {
        StateNumber state = 0;
        std::size_t steps = 0;
    };
    [[nodiscard]] Entry entry_of(const std::vector<StateNumber>& part) const {
        const Reached<S>& reached = explorer_.reached();
        Entry best{part.front(), reached.steps_to(reached.id_of(part.front()))};
        for (const StateNumber state : part) {
            const std::size_t steps = reached.steps_to(reached.id_of(state));
            if (steps < best.steps) {
                best = {state, steps};
            }
        }
        return best;
    }

    // Tarjan's algorithm without recursion, on the edges usable for the caller; parts with a cycle.
    std::vector<std::vector<StateNumber>> strong_components(std::size_t caller) {
        const std::size_t size = graph_.states_count();
        constexpr std::uint32_t kUnseen = 0xFFFFFFFFU;
        std::vector<std::uint32_t> index(size, kUnseen);
        std::vector<std::uint32_t> low(size, 0);
        std::vector<bool> on_stack(size, false);
        std::vector<StateNumber> stack;
        std::vector<std::pair<StateNumber, std::size_t>> work;  // state, next edge
        std::vector<std::vector<StateNumber>> parts;
        std::uint32_t counter = 0;
        const auto enter = [&](StateNumber id) {
            index[id] = low[id] = counter++;
            stack.push_back(id);
            on_stack[id] = true;
            work.emplace_back(id, graph_.first_edge(id));
        };
        for (StateNumber root = 0; root < size; ++root) {
            if (index[root] == kUnseen && (inside_[root] >> caller & 1U) != 0) {
                enter(root);
            }
            while (!work.empty()) {
                auto& [id, edge] = work.back();
                if (edge < graph_.end_edge(id)) {
                    const std::size_t taken = edge++;
                    const StateNumber next = graph_.target(taken);
                    if (!usable(caller, id, taken)) {
                        continue;
                    }
                    if (index[next] == kUnseen) {
                        enter(next);
                    } else if (on_stack[next]) {
                        low[id] = std::min(low[id], index[next]);
                    }
                    continue;
                }
                const StateNumber finished = id;
                work.pop_back();
                if (!work.empty()) {
                    low[work.back().first] = std::min(low[work.back().first], low[finished]);
                }
                if (low[finished] == index[finished]) {
                    take_component(caller, finished, stack, on_stack, parts);
                }
            }
        }
        return parts;
    }

    void take_component(std::size_t caller, StateNumber root, std::vector<StateNumber>& stack,
                        std::vector<bool>& on_stack,
                        std::vector<std::vector<StateNumber>>& parts) const {
        std::vector<StateNumber> part;
        StateNumber id = kNoState;
        do {
            id = stack.back();
            stack.pop_back();
            on_stack[id] = false;
            part.push_back(id);
        } while (id != root);
        const bool cyclic = part.size() > 1 || has_own_edge(caller, root);
        if (cyclic) {
            std::sort(part.begin(), part.end());
            parts.push_back(std::move(part));
        }
    }

    [[nodiscard]] bool has_own_edge(std::size_t caller, StateNumber id) const {
        for (std::size_t edge = graph_.first_edge(id); edge < graph_.end_edge(id); ++edge) {
            if (graph_.target(edge) == id && usable(caller, id, edge)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] static bool contains(const std::vector<StateNumber>& part, StateNumber id) {
        return std::binary_search(part.begin(), part.end(), id);
    }

    // For each party: a step inside the part, or a state of it in which the party cannot step.
    [[nodiscard]] bool is_fair(std::size_t caller, const std::vector<StateNumber>& part) const {
        Parties moves = 0;
        Parties always_able = ~Parties{0};
        for (const StateNumber id : part) {
            always_able &= able_[id];
            for (std::size_t edge = graph_.first_edge(id); edge < graph_.end_edge(id); ++edge) {
                if (contains(part, graph_.target(edge)) && usable(caller, id, edge)) {
                    moves |= bit(graph_.action(edge));
                }
            }
        }
        return (always_able & ~moves) == 0;
    }

    // From the initial state to the part, then round inside it: every party that is always able
    // takes a step, every other one is seen unable, and back to where the round began.
    Lasso make_lasso(std::size_t caller, const std::vector<StateNumber>& part, StateNumber entry) {
        Lasso lasso;
        State end;
        lasso.actions = explorer_.reached().path_to(explorer_.reached().id_of(entry), end);
        lasso.cycle_start = lasso.actions.size();
        StateNumber at = entry;
        for (std::size_t p = 0; p < 32; ++p) {
            const Parties party = 1U << p;
            const auto satisfied_at = [&](StateNumber id) { return (able_[id] & party) == 0; };
            const bool unable_somewhere = std::any_of(part.begin(), part.end(), satisfied_at);
            if (unable_somewhere) {
                at = walk(caller, part, at, lasso, satisfied_at, [](std::size_t) { return false; });
            } else {
                at = walk(
                    caller, part, at, lasso, [](StateNumber) { return false; },
                    [&](std::size_t edge) { return bit(graph_.action(edge)) == party; });
            }
        }
        // At least one step of the caller's own part, then home.
        if (lasso.actions.size() == lasso.cycle_start) {
            at = walk(
                caller, part, at, lasso, [](StateNumber) { return false; },
                [](std::size_t) { return true; });
        }
        walk(
            caller, part, at, lasso, [&](StateNumber id) { return id == entry; },
            [](std::size_t) { return false; });
        return lasso;
    }

    // A shortest walk inside the part to a state or over an edge that satisfies.
    template <class StateTest, class EdgeTest>
    StateNumber walk(std::size_t caller, const std::vector<StateNumber>& part, StateNumber from,
                     Lasso& lasso, StateTest state_satisfies, EdgeTest edge_satisfies) {
        if (state_satisfies(from)) {
            return from;
        }
        std::map<StateNumber, std::pair<StateNumber, Action>> came;
        std::vector<StateNumber> queue{from};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const StateNumber id = queue[next];
            for (std::size_t edge = graph_.first_edge(id); edge < graph_.end_edge(id); ++edge) {
                const StateNumber target = graph_.target(edge);
                if (!contains(part, target) || !usable(caller, id, edge)) {
                    continue;
                }
                const bool arrived = edge_satisfies(edge) || state_satisfies(target);
                if (!arrived && (target == from || came.count(target) > 0)) {
                    continue;
                }
                if (!arrived) {
                    came[target] = {id, graph_.action(edge)};
                    queue.push_back(target);
                    continue;
                }
                std::vector<Action> steps{graph_.action(edge)};
                for (StateNumber back = id; back != from; back = came[back].first) {
                    steps.push_back(came[back].second);
                }
                lasso.actions.insert(lasso.actions.end(), steps.rbegin(), steps.rend());
                return target;
            }
        }
        unreachable("a strongly connected part can be walked");
    }

    const S& system_;
    const Explorer<S>& explorer_;
    const StateGraph<S>& graph_;
    std::size_t callers_count_ = 0;
    std::vector<Parties> inside_;
    std::vector<Parties> able_;
    std::vector<bool> ends_;
    Observation observation_{};
};

}  // namespace lockkeeper
