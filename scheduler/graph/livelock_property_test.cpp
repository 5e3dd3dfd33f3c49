// SPDX-License-Identifier: Apache-2.0

// The livelock search against its naive twin, on random scopes of the canal lock and on random
// graphs: with symmetry and without, and with several workers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/graph/fair_cycles.hpp"
#include "scheduler/graph/naive_livelock_test.hpp"
#include "scheduler/random_scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

static_assert(requires(const TinyWorld& world, const TinyWorld::State& state) {
    { world.held_at_most(state, 0) } -> std::same_as<std::uint32_t>;
});

constexpr std::uint64_t kLivelockStatesMax = kIsSlowBuild ? 60 : 200;

ExploreResult searched(const Runner& system, bool symmetry) {
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.symmetry = symmetry;
    options.counting = *rc::gen::element(Counting::kOff, Counting::kOn);
    options.frontier = Frontier::kQueue;
    options.jobs = *rc::gen::element<std::size_t>(1, 3);
    return system.explore(options);
}

// Whoever could act in all states of the cycle acts in it, and somebody is inside one call all the
// time, who is refused nothing that is held in one of them.
template <System S>
bool is_fair(const S& system, const FoundViolation& found) {
    typename S::State state = system.initial();
    ActionList enabled;
    Observation seen;
    std::map<std::pair<ActionKind, int>, std::size_t> could;
    std::set<std::pair<ActionKind, int>> did;
    std::vector<bool> inside(kCallersOfALasso, true);
    std::vector<std::set<std::pair<std::size_t, std::uint32_t>>> refused(kCallersOfALasso);
    std::array<std::uint32_t, kKeysMax> most_held{};
    const auto party = [](Action action) {
        return std::pair(action.kind, action.kind == ActionKind::kTime ? -1 : action.actor);
    };
    const std::vector<Action>& actions = found.schedule.actions;
    for (std::size_t i = 0; i < found.cycle_start; ++i) {
        system.apply(state, actions[i]);
    }
    for (std::size_t i = found.cycle_start; i < actions.size(); ++i) {
        std::set<std::pair<ActionKind, int>> can;
        system.enabled(state, enabled);
        for (const Action action : enabled) {
            if (!is_fault(action)) {
                can.insert(party(action));
            }
        }
        for (const auto& one : can) {
            ++could[one];
        }
        did.insert(party(actions[i]));
        const Event event = system.apply(state, actions[i]);
        system.observe(state, seen);
        const bool ends = (event.what & (kAcquired | kReleased | kFailed | kDone)) != 0;
        if (event.is(kRefused) && actions[i].kind == ActionKind::kStep) {
            refused[event.caller].insert({event.key, event.capacity});
        }
        for (std::size_t key = 0; key < seen.keys_count; ++key) {
            most_held[key] = std::max(most_held[key], held_at_most(system, state, seen, key));
        }
        for (std::size_t caller = 0; caller < inside.size(); ++caller) {
            const bool own =
                actions[i].kind == ActionKind::kStep && actions[i].actor == caller && ends;
            inside[caller] = inside[caller] && caller < seen.callers_count &&
                             seen.callers[caller].calling && !own;
        }
    }
    for (std::size_t caller = 0; caller < inside.size(); ++caller) {
        for (const auto& [key, capacity] : refused[caller]) {
            inside[caller] = inside[caller] && most_held[key] < capacity;
        }
    }
    const std::size_t length = actions.size() - found.cycle_start;
    return std::count(inside.begin(), inside.end(), true) > 0 &&
           std::all_of(could.begin(), could.end(), [&](const auto& one) {
               return one.second < length || did.count(one.first) > 0;
           });
}

template <System S>
void agree(const Runner& runner, const S& system) {
    NaiveLivelock naive(system);
    const std::optional<std::size_t> nearest = naive.nearest();
    RC_CLASSIFY(nearest.has_value(), "livelock");
    for (const bool symmetry : {false, true}) {
        const ExploreResult result = searched(runner, symmetry);
        RC_ASSERT(result.complete);
        RC_ASSERT(result.acyclic == std::optional(!naive.has_cycle()));
        RC_ASSERT(result.violations.size() == (nearest ? 1U : 0U));
        if (nearest) {
            const FoundViolation& found = result.violations.front();
            RC_ASSERT(found.cycle_start == *nearest);
            ReplayOptions options;
            options.check = {found.property};
            options.cycle_start = found.cycle_start;
            const Trace trace = runner.replay(found.schedule, options);
            RC_ASSERT(trace.divergences.empty() && trace.cycle_closes);
            RC_ASSERT(trace.violated == options.check);
            RC_ASSERT(is_fair(system, found));
        }
    }
}

// Random runs find a livelock only where one exists.
template <System S>
void runs_tell_no_other(const Runner& runner, const S& system) {
    const std::optional<std::size_t> nearest = NaiveLivelock(system).nearest();
    FuzzOptions options;
    options.check = {find_property("livelock")};
    options.strategy =
        *rc::gen::element<std::string>("feedback", "random", "pct:2", "round-robin", "pos");
    options.seed = *rc::gen::arbitrary<std::uint64_t>();
    options.schedules_max = *rc::gen::inRange<std::uint64_t>(1, 100);
    options.steps_max = *rc::gen::inRange<std::uint64_t>(1, 100);
    const FuzzResult result = runner.fuzz(options);
    RC_CLASSIFY(nearest && result.violations.empty(), "not found");
    RC_ASSERT(nearest || result.violations.empty());
    for (const FoundViolation& found : result.violations) {
        RC_ASSERT(found.cycle_start >= *nearest);
        ReplayOptions replay;
        replay.check = {found.property};
        replay.cycle_start = found.cycle_start;
        const Trace trace = runner.replay(found.schedule, replay);
        RC_ASSERT(trace.divergences.empty() && trace.cycle_closes);
        RC_ASSERT(is_fair(system, found));
    }
}

RC_GTEST_PROP(LivelockAndItsNaiveTwin, AgreeWithTheRunsOfFuzzOnEveryGraph, ()) {
    const GraphSystem graph = random_graph(12, *rc::gen::inRange(0, 8) == 0);
    runs_tell_no_other(*runner(graph), graph);
}

RC_GTEST_PROP(LivelockAndItsNaiveTwin, AgreeWithTheRunsOfFuzzOnEveryScopeOfTheCanalLock, ()) {
    const CanalScope scope = small_enough(random_scope({3, 2, true, false}), kLivelockStatesMax);
    RC_LOG() << to_text(scope);
    runs_tell_no_other(*runner(scope), tiny(scope));
}

RC_GTEST_PROP(LivelockAndItsNaiveTwin, AgreeOnEveryGraph, ()) {
    const GraphSystem graph = random_graph(12, *rc::gen::inRange(0, 8) == 0);
    agree(*runner(graph), graph);
}

RC_GTEST_PROP(LivelockAndItsNaiveTwin, AgreeOnEveryScopeOfTheCanalLock, ()) {
    const CanalScope scope = small_enough(random_scope({3, 2, true, false}), kLivelockStatesMax);
    RC_LOG() << to_text(scope);
    agree(*runner(scope), tiny(scope));
}

}  // namespace
}  // namespace lockkeeper
