// SPDX-License-Identifier: Apache-2.0

// Chains and Systems that the tests of the exact method share. Nothing else includes it.
#pragma once

#include <vector>

#include "measure/exact.hpp"
#include "measure/solution.hpp"
#include "model/erased_system.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"
#include "model/world.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper::testing_measure {

// A System drawn as a graph: node 0 is the first, an edge is an action of its own class.
struct DrawnEdge {
    ActionClass which = ActionClass::kStep;
    std::uint32_t target = 0;
    std::uint32_t what = 0;     // EventBits
    std::uint32_t holding = 0;  // Event::holding_before; the capacity is 1
};
struct DrawnNode {
    std::vector<DrawnEdge> edges;
    bool finished = true;  // asked where nothing but faults is left
    bool quiescent = false;
    std::uint32_t believed = 0;
    std::uint32_t counted = 0;
    bool beliefs_overlap = false;
    std::int32_t now = 0;
};

struct DrawnSystem {
    struct State {
        std::uint32_t node;
    };
    std::vector<DrawnNode> nodes;

    [[nodiscard]] const DrawnNode& at(const State& state) const { return nodes[state.node]; }
    [[nodiscard]] State initial() const { return {0}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::size_t i = 0; i < at(state).edges.size(); ++i) {
            out.add({0, kind_of(at(state).edges[i].which), static_cast<std::uint16_t>(i)});
        }
    }
    Event apply(State& state, Action action) const {
        const DrawnEdge edge = at(state).edges[action.argument];
        state.node = edge.target;
        Event event;
        event.what = edge.what;
        event.holding_before = edge.holding;
        event.capacity = 1;
        return event;
    }
    void observe(const State& state, Observation& out) const {
        out = Observation{};
        out.callers_count = 1;
        out.keys_count = 1;
        out.quiescent = at(state).quiescent;
        out.beliefs_overlap = at(state).beliefs_overlap;
        out.now = at(state).now;
        out.keys[0].believed = at(state).believed;
        out.keys[0].counted_least = out.keys[0].counted_most = at(state).counted;
    }
    [[nodiscard]] ActionClass class_of(const State& state, Action action) const {
        return at(state).edges[action.argument].which;
    }
    [[nodiscard]] bool quiescent(const State& state) const { return at(state).quiescent; }
    [[nodiscard]] bool finished(const State& state) const { return at(state).finished; }
    [[nodiscard]] std::string describe(const State&, Action action) const {
        return to_text(action);
    }
    [[nodiscard]] std::string show(const State& state) const { return std::to_string(state.node); }

  private:
    static ActionKind kind_of(ActionClass which) {
        switch (which) {
            case ActionClass::kBackground: return ActionKind::kBackground;
            case ActionClass::kCrash: return ActionKind::kCrash;
            case ActionClass::kResize: return ActionKind::kResize;
            case ActionClass::kFault: return ActionKind::kFault;
            case ActionClass::kDisturbance: return ActionKind::kDisturb;
            case ActionClass::kTime: return ActionKind::kTime;
            default: return ActionKind::kStep;
        }
    }
};

[[nodiscard]] inline Law weights(std::initializer_list<std::pair<ActionClass, double>> given,
                                 LawKind kind = LawKind::kWeights) {
    Law law;
    law.kind = kind;
    for (const auto& [which, weight] : given) {
        law.weights[static_cast<std::size_t>(which)] = weight;
    }
    return law;
}

[[nodiscard]] inline MeasureOptions options_for(std::initializer_list<std::string_view> properties,
                                                const Law& law = {}) {
    MeasureOptions options;
    options.law = law;
    for (const std::string_view name : properties) {
        const Property* property = find_property(name);
        options.check.push_back(property != nullptr ? property : find_goal(name));
    }
    return options;
}

// Two callers and one word, each takes it and gives it back once.
[[nodiscard]] inline World<testing_model::TestAndSet> two_callers(std::uint8_t crashes_max) {
    using testing_model::acquire;
    using testing_model::release;
    using testing_model::TestAndSet;
    WorldConfig world = testing_model::world_of({{acquire(), release()}, {acquire(), release()}});
    world.crashes_max = crashes_max;
    return World<TestAndSet>(TestAndSet{}, world);
}

// Half of the runs overlap, from the first step on: then half of them until 3, of the others half
// until 10; else time stands still. On paper: 3 / 2 + 7 / 4 = 13 / 4 where there is an overlap.
[[nodiscard]] inline DrawnSystem overlapping() {
    DrawnSystem system;
    system.nodes.resize(6);
    system.nodes[0].edges = {{ActionClass::kStep, 1, kOverlap}, {ActionClass::kBackground, 5}};
    system.nodes[1].edges = {{ActionClass::kTime, 2}, {ActionClass::kStep, 5}};
    system.nodes[2].edges = {{ActionClass::kTime, 3}, {ActionClass::kStep, 4}};
    system.nodes[1].beliefs_overlap = system.nodes[2].beliefs_overlap = true;
    system.nodes[2].now = system.nodes[4].now = 3;
    system.nodes[3].now = 10;
    return system;
}

// A position between 0 and `goal`, both ends: an arrival goes up, a departure down. Node 0 is
// `start`. The step to the goal shows kRefused (the goal `full`).
[[nodiscard]] inline DrawnSystem gamblers_ruin(std::uint32_t goal, std::uint32_t start) {
    const auto node_of = [&](std::uint32_t position) {
        return position == start ? 0 : position < start ? position + 1 : position;
    };
    DrawnSystem system;
    system.nodes.resize(goal + 1U);
    for (std::uint32_t position = 1; position < goal; ++position) {
        const std::uint32_t up = position + 1;
        system.nodes[node_of(position)].edges = {
            {ActionClass::kArrival, node_of(up), up == goal ? kRefused : 0U},
            {ActionClass::kDeparture, node_of(position - 1)}};
    }
    return system;
}

// Nine digits, and the truth between the bounds.
#define EXPECT_FIGURE(expected, figure)                                               \
    EXPECT_NEAR((figure).value / (expected), 1.0, 1e-9) << "expected " << (expected); \
    EXPECT_LE((figure).low, (expected) * (1 + 1e-15));                                \
    EXPECT_GE((figure).high, (expected) * (1 - 1e-15));                               \
    EXPECT_LE((figure).high - (figure).low, 2e-9 * (expected))

}  // namespace lockkeeper::testing_measure
