// SPDX-License-Identifier: Apache-2.0

// The naive twins of the explorer: a few lines each, obviously right, and slow. Nothing of the
// explorer, the judge or the store is used in them.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/property.hpp"
#include "model/system.hpp"

namespace lockkeeper::testing_scheduler {

template <System S>
class NaiveSearch {
  public:
    using State = typename S::State;
    struct BytesLess {
        bool operator()(const State& left, const State& right) const {
            return std::memcmp(&left, &right, sizeof(State)) < 0;
        }
    };
    using States = std::set<State, BytesLess>;
    using Names = std::set<std::string>;

    NaiveSearch(const S& system, std::vector<const Property*> check,
                std::vector<const Property*> reach)
        : system_(system), check_(std::move(check)), reach_(std::move(reach)) {}

    // Every state, recursively.
    void visit_all() {
        judge_state(system_.initial(), violated);
        visit(system_.initial());
    }

    // The fewest steps after which each property is broken, level by level.
    [[nodiscard]] std::map<std::string, std::size_t> fewest_steps() {
        std::map<std::string, std::size_t> fewest;
        States known{system_.initial()};
        States level = known;
        for (std::size_t steps = 0; !level.empty(); ++steps) {
            Names broken;
            States next;
            for (const State& state : level) {
                judge_state(state, broken);
                judge_end(state, broken);
            }
            note(broken, steps, fewest);
            broken.clear();
            for (const State& state : level) {
                for (Action action : enabled(state)) {
                    State after = state;
                    judge_event(after, system_.apply(after, action), broken, goals);
                    if (known.insert(after).second) {
                        next.insert(after);
                    }
                }
            }
            note(broken, steps + 1, fewest);
            level = next;
        }
        return fewest;
    }

    // States at most this many steps away.
    [[nodiscard]] std::size_t states_within(std::size_t steps) {
        States known{system_.initial()};
        States level = known;
        for (; steps > 0; --steps) {
            States next;
            for (const State& state : level) {
                for (Action action : enabled(state)) {
                    State after = state;
                    system_.apply(after, action);
                    if (known.insert(after).second) {
                        next.insert(after);
                    }
                }
            }
            level = next;
        }
        return known.size();
    }

    // Every path to an end, walked one by one; gives up above `most`. Needs a graph without cycle.
    [[nodiscard]] std::uint64_t walk_paths(std::uint64_t most) {
        return walk(system_.initial(), most);
    }

    [[nodiscard]] std::size_t states() const { return seen_.size(); }
    template <class Function>
    void for_each(Function function) const {
        for (const State& state : seen_) {
            function(state);
        }
    }
    std::uint64_t transitions = 0;
    std::uint64_t terminal_states = 0;
    Names violated;
    Names goals;

  private:
    std::vector<Action> enabled(const State& state) {
        system_.enabled(state, list_);
        return {list_.begin(), list_.end()};
    }

    void visit(const State& state) {
        if (!seen_.insert(state).second) {
            return;
        }
        judge_end(state, violated);
        const std::vector<Action> actions = enabled(state);
        terminal_states += actions.empty() ? 1U : 0U;
        for (Action action : actions) {
            ++transitions;
            State after = state;
            judge_event(after, system_.apply(after, action), violated, goals);
            judge_state(after, violated);
            visit(after);
        }
    }

    std::uint64_t walk(const State& state, std::uint64_t most) {
        const std::vector<Action> actions = enabled(state);
        std::uint64_t paths = actions.empty() ? 1 : 0;
        for (Action action : actions) {
            if (paths > most) {
                break;
            }
            State after = state;
            system_.apply(after, action);
            paths += walk(after, most - paths);
        }
        return paths;
    }

    void judge_event(const State& after, const Event& event, Names& broken, Names& reached) {
        system_.observe(after, observation_);
        for (const Property* property : check_) {
            if (property->kind == PropertyKind::kAlways && (event.what & property->triggers) != 0 &&
                property->holds_not(observation_, event)) {
                broken.emplace(property->name);
            }
        }
        for (const Property* goal : reach_) {
            if ((event.what & goal->triggers) != 0) {
                reached.emplace(goal->name);
            }
        }
    }

    void judge_state(const State& state, Names& broken) {
        system_.observe(state, observation_);
        for (const Property* property : check_) {
            if (property->kind == PropertyKind::kAtQuiescence && system_.quiescent(state) &&
                property->holds_not(observation_, Event{})) {
                broken.emplace(property->name);
            }
        }
    }

    void judge_end(const State& state, Names& broken) {
        bool goes_on = system_.finished(state);
        for (Action action : enabled(state)) {
            goes_on = goes_on || action.kind == ActionKind::kStep ||
                      action.kind == ActionKind::kBackground;
        }
        for (const Property* property : check_) {
            if (!goes_on && property->name == "deadlock") {
                broken.emplace(property->name);
            }
        }
    }

    static void note(const Names& broken, std::size_t steps,
                     std::map<std::string, std::size_t>& fewest) {
        for (const std::string& name : broken) {
            fewest.emplace(name, steps);
        }
    }

    const S& system_;
    std::vector<const Property*> check_;
    std::vector<const Property*> reach_;
    States seen_;
    ActionList list_;
    Observation observation_{};
};

}  // namespace lockkeeper::testing_scheduler
