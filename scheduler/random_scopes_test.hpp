// SPDX-License-Identifier: Apache-2.0

// Random scopes of the canal lock and random graphs, for RapidCheck. Every failing one is printed.
#pragma once

#include <algorithm>
#include <ostream>

#include <rapidcheck.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper::testing_scheduler {

struct ScopeShape {
    std::size_t callers_max = 3;
    std::size_t script_max = 3;
    bool cyclic = false;   // retried acquires, and releases that are never forced
    bool watches = false;  // may carry the monitors along
    bool signals = false;  // callers may signal and wait (SignalWorld)
};

inline std::string to_text(const CanalScope& scope) {
    std::string text =
        "tries " + (scope.options.max_decr_tries ? std::to_string(*scope.options.max_decr_tries)
                                                 : std::string("unlimited"));
    text += ", manager " + std::to_string(scope.options.has_manager) + " max_per " +
            std::to_string(scope.options.manager_max_per) + ", repairs " +
            std::to_string(scope.options.repairs) + ", warm " +
            std::to_string(scope.options.tables.size()) + ", crashes " +
            std::to_string(scope.world.crashes_max) + ", resizes " +
            std::to_string(scope.world.resizes_max()) + ", watches " +
            std::to_string(scope.world.watches_others);
    for (const CallerConfig& caller : scope.world.callers) {
        text += "; " + caller.name + ":";
        for (const Operation& operation : caller.script) {
            text += " " + std::string(name_of(operation.verb)) + "(" +
                    std::to_string(operation.place_capacity) + "," +
                    std::to_string(operation.places) +
                    (operation.follows_resizes ? ",follows" : "") +
                    (operation.until_acquired ? ",insists" : "") +
                    (operation.unchecked ? ",unchecked" : "") +
                    (operation.uses_signal() ? ",signal " + std::to_string(operation.signal) : "") +
                    (operation.keep ? ",keep" : "") + ")";
        }
    }
    return text;
}

inline void showValue(const CanalScope& scope, std::ostream& out) { out << to_text(scope); }

inline Operation random_signal() {
    Operation operation;
    operation.verb = *rc::gen::element(Verb::kSignal, Verb::kWait);
    operation.signal = *rc::gen::element<std::uint8_t>(0, 0, 1);
    operation.keep = operation.verb == Verb::kWait && *rc::gen::arbitrary<bool>();
    return operation;
}

// One lock at a time in a script that follows resizes: the tiny size remembers no more.
inline std::vector<Operation> random_script(const ScopeShape& shape, bool follows) {
    const auto size = *rc::gen::inRange<std::size_t>(1, shape.script_max + 1);
    std::vector<Operation> script;
    Operation last = acquire(1, 1);
    bool may_hold = false;
    while (script.size() < size) {
        if (shape.signals && *rc::gen::inRange(0, 3) == 0) {
            script.push_back(random_signal());
            continue;
        }
        const int what = *rc::gen::inRange(0, 12);
        if (what == 0) {
            Operation exit;
            exit.verb = Verb::kExit;
            script.push_back(exit);
        } else if (may_hold && (follows || what < 7)) {
            Operation back = last;
            back.verb = Verb::kRelease;
            back.until_acquired = false;
            back.unchecked = !follows && what == 1;
            script.push_back(back);
            may_hold = false;
        } else {
            last = acquire(*rc::gen::inRange<std::uint16_t>(1, 3),
                           *rc::gen::inRange<std::uint16_t>(1, 3));
            last.follows_resizes = follows;
            last.until_acquired = shape.cyclic && what < 10;
            script.push_back(last);
            may_hold = true;
        }
    }
    return script;
}

inline CanalScope random_scope(const ScopeShape& shape) {
    const bool resizes = *rc::gen::inRange(0, 3) == 0;
    std::vector<std::vector<Operation>> scripts;
    const auto callers = *rc::gen::inRange<std::size_t>(1, shape.callers_max + 1);
    while (scripts.size() < callers) {
        const bool as_before = !scripts.empty() && *rc::gen::arbitrary<bool>();
        scripts.push_back(as_before ? scripts.back() : random_script(shape, resizes));
    }
    CanalScope scope;
    scope.world = world_of(scripts);
    scope.world.crashes_max = *rc::gen::element<std::uint8_t>(0, 0, 1, 2);
    scope.world.watches_others = shape.watches && *rc::gen::arbitrary<bool>();
    if (resizes) {
        scope.world.views =
            *rc::gen::element(std::vector<std::uint16_t>{1, 2}, std::vector<std::uint16_t>{2, 1});
    }
    scope.options.max_decr_tries = *rc::gen::element<std::uint8_t>(0, 1, 2, 15);
    if (shape.cyclic && *rc::gen::arbitrary<bool>()) {
        scope.options.max_decr_tries.reset();
    }
    scope.options.has_manager = *rc::gen::inRange(0, 3) > 0;
    scope.options.manager_max_per = *rc::gen::inRange<std::uint16_t>(1, 3);
    scope.options.max_pers = {1, 2};
    scope.options.repairs = *rc::gen::element<std::uint8_t>(
        0, 0, canal::kAllRepairs, *rc::gen::inRange<std::uint8_t>(0, canal::kAllRepairs + 1));
    return *rc::gen::arbitrary<bool>() ? warm(scope, 2) : scope;
}

// Takes operations away, the last of the longest script first, until the scope has at most
// `states_max` states.
inline CanalScope small_enough(CanalScope scope, std::uint64_t states_max) {
    ExploreOptions options;
    options.symmetry = false;
    options.counting = Counting::kOff;
    options.states_max = states_max;
    while (!runner(scope)->explore(options).complete) {
        std::vector<std::vector<Operation>> scripts;
        for (const CallerConfig& caller : scope.world.callers) {
            scripts.push_back(caller.script);
        }
        const auto longest = std::max_element(
            scripts.begin(), scripts.end(),
            [](const auto& left, const auto& right) { return left.size() < right.size(); });
        longest->pop_back();
        const WorldConfig before = scope.world;
        scope.world = world_of(scripts);
        scope.world.crashes_max = before.crashes_max;
        scope.world.watches_others = before.watches_others;
        scope.world.views = before.views;
    }
    return scope;
}

// A graph of up to `nodes_max` nodes; edges lead anywhere, or only forward.
inline GraphSystem random_graph(std::size_t nodes_max, bool acyclic) {
    GraphSystem system;
    const auto size = *rc::gen::inRange<std::size_t>(1, nodes_max + 1);
    system.nodes.resize(size);
    for (std::uint32_t id = 0; id < size; ++id) {
        GraphNode& node = system.nodes[id];
        node.believed = *rc::gen::inRange(0U, 3U);
        node.counted = *rc::gen::inRange(0U, 3U);
        node.quiescent = *rc::gen::inRange(0, 4) == 0;
        node.finished = *rc::gen::arbitrary<bool>();
        node.calling = *rc::gen::inRange(0U, 4U);
        const auto degree = *rc::gen::inRange<std::uint16_t>(0, 5);
        for (std::uint16_t i = 0; i < degree; ++i) {
            const std::uint32_t first = acyclic ? id + 1 : 0;
            if (first == size) {
                break;
            }
            // Faults last, as the contract has it.
            const bool is_step = *rc::gen::arbitrary<bool>();
            const auto kind = i + 1 == degree && degree > 2 ? ActionKind::kCrash
                              : is_step                     ? ActionKind::kStep
                                                            : ActionKind::kBackground;
            const auto actor = *rc::gen::element<std::uint8_t>(0, 1);
            const auto what = *rc::gen::element<std::uint32_t>(
                0, 0, 0, 0, 0, kRefused, kRefused, kAcquired, kCallerDied, kForeignRelease);
            node.edges.push_back({{actor, kind, i},
                                  *rc::gen::inRange(first, static_cast<std::uint32_t>(size)),
                                  what,
                                  *rc::gen::inRange(1U, 4U)});
        }
    }
    return system;
}

}  // namespace lockkeeper::testing_scheduler
