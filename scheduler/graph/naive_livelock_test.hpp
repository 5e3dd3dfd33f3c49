// SPDX-License-Identifier: Apache-2.0

// The naive twin of the livelock search: the definition, word for word, on the graph of all states
// as it is, without symmetry. It uses nothing of the explorer.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/system.hpp"

namespace lockkeeper::testing_scheduler {

template <System S>
class NaiveLivelock {
  public:
    using State = typename S::State;
    using Number = std::size_t;

    explicit NaiveLivelock(const S& system) : system_(system) {
        number_of(system.initial(), 0);
        for (Number number = 0; number < states_.size(); ++number) {
            add_edges(number);
        }
    }

    [[nodiscard]] bool has_cycle() const {
        for (Number state = 0; state < states_.size(); ++state) {
            if (reach(state, [](Number, const Edge&) { return true; }).count(state) > 0) {
                return true;
            }
        }
        return false;
    }

    // The fewest steps to a state from which one caller can stay inside its call for ever, by a
    // fair run; nothing: there is none.
    [[nodiscard]] std::optional<std::size_t> nearest() {
        std::optional<std::size_t> fewest;
        for (std::size_t caller = 0; caller < callers_; ++caller) {
            for (Number state = 0; state < states_.size(); ++state) {
                if ((!fewest || steps_[state] < *fewest) && is_on_fair_cycle(caller, state)) {
                    fewest = steps_[state];
                }
            }
        }
        return fewest;
    }

  private:
    using Asked = std::pair<std::size_t, std::uint32_t>;  // a key, so many locks of it
    using AllAsked = std::set<Asked>;
    struct Edge {
        Number target;
        Action action;
        bool ends;         // the call of whoever acts
        AllAsked refused;  // at most one, to a caller that tries again
    };
    using Numbers = std::set<Number>;
    using Party = std::pair<ActionKind, std::size_t>;  // all actions of time are one
    struct BytesLess {
        bool operator()(const State& left, const State& right) const {
            return std::memcmp(&left, &right, sizeof(State)) < 0;
        }
    };

    static Party party(Action action) {
        return {action.kind, action.kind == ActionKind::kTime ? 0U : action.actor};
    }
    static bool is_duty(Action action) {
        return action.kind == ActionKind::kStep || action.kind == ActionKind::kBackground ||
               action.kind == ActionKind::kTime;
    }

    static bool is_own_step(std::size_t caller, const Edge& edge) {
        return edge.action.kind == ActionKind::kStep && edge.action.actor == caller;
    }

    Number number_of(const State& state, std::size_t steps) {
        const auto [place, is_new] = numbers_.try_emplace(state, states_.size());
        if (is_new) {
            states_.push_back(state);
            steps_.push_back(steps);
        }
        return place->second;
    }

    void add_edges(Number number) {
        ActionList actions;
        Observation seen;
        system_.enabled(states_[number], actions);
        std::vector<Edge> edges;
        for (const Action action : actions) {
            State after = states_[number];
            const Event event = system_.apply(after, action);
            system_.observe(after, seen);
            callers_ = seen.callers_count;
            AllAsked refused;
            if (event.is(kRefused)) {
                refused.insert({event.key, event.capacity});
            }
            const bool ends = event.is(kAcquired) || event.is(kReleased) || event.is(kFailed) ||
                              event.is(kDone) ||
                              (event.is(kRefused) && !seen.callers[event.caller].calling);
            edges.push_back({number_of(after, steps_[number] + 1), action, ends, refused});
        }
        edges_.push_back(edges);
    }

    bool is_inside(std::size_t caller, Number state) {
        Observation seen;
        system_.observe(states_[state], seen);
        return seen.callers[caller].calling;
    }

    // All that can be reached by one step or more.
    template <class Usable>
    Numbers reach(Number from, Usable usable) const {
        Numbers reached;
        std::vector<Number> next{from};
        while (!next.empty()) {
            const Number at = next.back();
            next.pop_back();
            for (const Edge& edge : edges_[at]) {
                if (usable(at, edge) && reached.insert(edge.target).second) {
                    next.push_back(edge.target);
                }
            }
        }
        return reached;
    }

    bool is_held(Number state, const AllAsked& asked) {
        Observation seen;
        system_.observe(states_[state], seen);
        return std::any_of(asked.begin(), asked.end(), [&](const Asked& one) {
            return held_at_most(system_, states_[state], seen, one.first) >= one.second;
        });
    }

    // Tries every choice of refusals on the cycle, among all that the caller ever meets.
    bool is_on_fair_cycle(std::size_t caller, Number state) {
        std::set<AllAsked> choices{{}};
        for (const std::vector<Edge>& edges : edges_) {
            for (const Edge& edge : edges) {
                if (is_own_step(caller, edge) && !edge.refused.empty()) {
                    for (AllAsked more : std::set<AllAsked>(choices)) {
                        more.insert(edge.refused.begin(), edge.refused.end());
                        choices.insert(more);
                    }
                }
            }
        }
        return std::any_of(choices.begin(), choices.end(), [&](const AllAsked& refused) {
            return is_on_fair_cycle(caller, state, refused);
        });
    }

    // Whether what can be reached from here and leads back leaves nobody aside.
    bool is_on_fair_cycle(std::size_t caller, Number state, const AllAsked& refused) {
        const auto stays = [&](Number at) {
            return is_inside(caller, at) && !is_held(at, refused);
        };
        if (!stays(state)) {
            return false;
        }
        const auto usable = [&](Number, const Edge& edge) {
            return stays(edge.target) &&
                   (!is_own_step(caller, edge) ||
                    (!edge.ends && std::includes(refused.begin(), refused.end(),
                                                 edge.refused.begin(), edge.refused.end())));
        };
        Numbers round;
        for (const Number other : reach(state, usable)) {
            if (reach(other, usable).count(state) > 0) {
                round.insert(other);
            }
        }
        std::set<Party> moves;
        std::map<Party, std::size_t> able_in;
        for (const Number at : round) {
            std::set<Party> able;
            if (time_is_over(system_, states_[at])) {
                able.insert(party({0, ActionKind::kTime, 0}));  // after the end, where it goes on
            }
            for (const Edge& edge : edges_[at]) {
                if (is_duty(edge.action)) {
                    able.insert(party(edge.action));
                }
                if (round.count(edge.target) > 0 && usable(at, edge)) {
                    moves.insert(party(edge.action));
                }
            }
            for (const Party& one : able) {
                ++able_in[one];
            }
        }
        for (const auto& [one, states] : able_in) {
            if (states == round.size() && moves.count(one) == 0) {
                return false;
            }
        }
        return !round.empty();
    }

    const S& system_;
    std::size_t callers_ = 0;
    std::map<State, Number, BytesLess> numbers_;
    std::vector<State> states_;
    std::vector<std::size_t> steps_;  // the fewest
    std::vector<std::vector<Edge>> edges_;
};

}  // namespace lockkeeper::testing_scheduler
