// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scopes_test.hpp"

#include <algorithm>

namespace lockkeeper::testing_scheduler {

Operation acquire(std::uint16_t max_per, std::uint16_t buckets) {
    Operation operation;
    operation.place_capacity = max_per;
    operation.places = buckets;
    return operation;
}

Operation release(std::uint16_t max_per, std::uint16_t buckets) {
    Operation operation = acquire(max_per, buckets);
    operation.verb = Verb::kRelease;
    return operation;
}

Operation insist(std::uint16_t max_per, std::uint16_t buckets) {
    Operation operation = acquire(max_per, buckets);
    operation.until_acquired = true;
    return operation;
}

Operation release_unchecked(std::uint16_t max_per, std::uint16_t buckets) {
    Operation operation = release(max_per, buckets);
    operation.unchecked = true;
    return operation;
}

WorldConfig world_of(const std::vector<std::vector<Operation>>& scripts) {
    WorldConfig world;
    world.keys = {"db"};
    for (std::size_t i = 0; i < scripts.size(); ++i) {
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + i));
        caller.script = scripts[i];
        const bool as_before = i > 0 && scripts[i] == scripts[i - 1];
        for (const Operation& next : caller.script) {
            if (next.uses_signal()) {
                world.signals = {"first", "second"};
            }
        }
        caller.group = as_before ? world.callers.back().group : static_cast<std::uint8_t>(i);
        world.callers.push_back(caller);
    }
    return world;
}

CanalScope once_each(const std::vector<std::uint16_t>& buckets, std::uint16_t max_per,
                     std::optional<std::uint8_t> max_decr_tries) {
    std::vector<std::vector<Operation>> scripts;
    scripts.reserve(buckets.size());
    for (const std::uint16_t seen : buckets) {
        scripts.push_back({acquire(max_per, seen), release(max_per, seen)});
    }
    CanalScope scope;
    scope.options.max_decr_tries = max_decr_tries;
    scope.options.manager_max_per = max_per;
    scope.options.max_pers = {max_per};
    scope.world = world_of(scripts);
    return scope;
}

CanalScope warm(CanalScope scope, std::size_t buckets) {
    scope.options.tables = {
        {std::vector<std::int32_t>(buckets, 0), static_cast<std::int32_t>(buckets)}};
    return scope;
}

CanalScope counters_only(CanalScope scope) {
    scope.options.has_manager = false;
    return scope;
}

CanalScope with_crashes(CanalScope scope, std::uint8_t crashes_max) {
    scope.world.crashes_max = crashes_max;
    return scope;
}

CanalScope leaking() { return with_crashes(warm(once_each({1, 1}, 1, 2), 1), 1); }

CanalScope misused() {
    CanalScope scope = counters_only(warm(once_each({1}, 1, 2), 1));
    scope.world = world_of({{acquire(1, 1)}, {release_unchecked(1, 1)}, {acquire(1, 1)}});
    scope.world.crashes_max = 1;
    return scope;
}

std::vector<const Property*> properties_for(const WorldConfig& world) {
    std::vector<const Property*> chosen;
    for (const Property& property : all_properties()) {
        if ((property.monitor == Monitor::kNone || world.watches_others) &&
            property.name != "livelock") {
            chosen.push_back(&property);
        }
    }
    return chosen;
}

std::vector<const Property*> goals() {
    std::vector<const Property*> chosen;
    for (const Property& goal : all_goals()) {
        chosen.push_back(&goal);
    }
    return chosen;
}

ExploreOptions asking_all(const CanalScope& scope) {
    ExploreOptions options;
    options.check = properties_for(scope.world);
    options.reach = goals();
    return options;
}

std::set<std::string> names(const std::vector<FoundViolation>& violations) {
    std::set<std::string> found;
    for (const FoundViolation& violation : violations) {
        found.emplace(violation.property->name);
    }
    return found;
}

std::set<std::string> names(const std::vector<const Property*>& properties) {
    std::set<std::string> found;
    for (const Property* property : properties) {
        found.emplace(property->name);
    }
    return found;
}

GraphSystem branching_chain(std::size_t nodes, std::uint32_t fatal) {
    GraphSystem graph;
    graph.nodes.resize(nodes);
    for (std::uint32_t id = 0; id < nodes; ++id) {
        graph.nodes[id].finished = true;
        for (std::uint16_t edge = 1; edge <= 3; ++edge) {
            const std::uint32_t target = id * 3 + edge;
            if (target < nodes) {
                const std::uint32_t what = target % fatal == 0 ? kCallerDied : kAcquired;
                graph.nodes[id].edges.push_back({{0, ActionKind::kStep, edge}, target, what});
            }
        }
    }
    return graph;
}

void GraphSystem::enabled(const State& state, ActionList& out) const {
    out.clear();
    for (const GraphEdge& edge : at(state).edges) {
        out.add(edge.action);
    }
}

Event GraphSystem::apply(State& state, Action action) const {
    for (const GraphEdge& edge : at(state).edges) {
        if (edge.action == action) {
            state.node = edge.target;
            Event event;
            event.what = edge.what;
            event.caller = action.actor;
            event.capacity = edge.capacity == 0 ? capacity : edge.capacity;
            return event;
        }
    }
    unreachable("an action that was not enabled");
}

void GraphSystem::observe(const State& state, Observation& out) const {
    const GraphNode& node = at(state);
    out = Observation{};
    out.callers_count = callers_count;
    out.keys_count = 1;
    out.quiescent = node.quiescent;
    out.keys[0].believed = node.believed;
    out.keys[0].counted_least = node.counted;
    out.keys[0].counted_most = node.counted;
    for (std::size_t i = 0; i < callers_count; ++i) {
        out.callers[i].calling = (node.calling >> i & 1U) != 0;
        out.callers[i].finished = node.finished;
    }
}

}  // namespace lockkeeper::testing_scheduler
