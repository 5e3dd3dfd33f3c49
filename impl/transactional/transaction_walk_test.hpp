// SPDX-License-Identifier: Apache-2.0

// The tests of the transactional locks share these: scripts in few words, and all states that a
// world can reach, found in the simplest way.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "impl/transactional/innodb_server.hpp"
#include "impl/transactional/pg_server.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper::testing_transactional {

using namespace transactional;
using testing_model::acquire;
using testing_model::release;
using testing_model::Walk;

inline Operation call(Word word, int key = 0) {
    Operation operation = acquire(1, 1, key);
    operation.verb = Verb::kCall;
    operation.word = static_cast<std::uint8_t>(word);
    operation.needs_lock = word == Word::kRead || word == Word::kWrite || word == Word::kEffect;
    operation.gives_up = word == Word::kRollBack;
    return operation;
}

using Scripts = std::vector<std::vector<Operation>>;

inline WorldConfig world_of(const Scripts& scripts) {
    WorldConfig world = testing_model::world_of(scripts);
    world.keys = {"a", "b"};
    return world;
}

inline ServerOptions options_for(const Scripts& scripts) {
    ServerOptions options;
    options.keys = {"a", "b"};
    options.numbers = {{0, 0, 0}, {1, 1, 0}};
    options.clients.resize(scripts.size());
    return options;
}

// The number of states; `look` sees every transition.
template <class I>
std::size_t count_states(
    const World<I>& world, const std::function<void(const Event&)>& look = [](const Event&) {}) {
    using State = typename World<I>::State;
    const auto bytes = [](const State& state) {
        return std::string(reinterpret_cast<const char*>(&state), sizeof(State));
    };
    std::deque<State> pending{world.initial()};
    std::set<std::string> seen{bytes(pending.front())};
    ActionList actions;
    while (!pending.empty()) {
        const State state = pending.front();
        pending.pop_front();
        world.enabled(state, actions);
        for (const Action action : actions) {
            State after = state;
            look(world.apply(after, action));
            if (seen.insert(bytes(after)).second) {
                pending.push_back(after);
            }
        }
    }
    return seen.size();
}

}  // namespace lockkeeper::testing_transactional
