// SPDX-License-Identifier: Apache-2.0

// The explorer against its naive twin, on random scopes of the canal lock and on random graphs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

constexpr std::uint64_t kScopeStatesMax = kIsSlowBuild ? 500 : 2'500;
constexpr std::uint64_t kPathsMax = kIsSlowBuild ? 10'000 : 200'000;

ExploreOptions asking(const std::vector<const Property*>& check) {
    ExploreOptions options;
    options.check = check;
    options.reach = goals();
    options.symmetry = false;
    options.frontier = *rc::gen::element(Frontier::kQueue, Frontier::kStack);
    options.storage = *rc::gen::element(Storage::kExact, Storage::kFingerprints);
    return options;
}

template <System S>
void agree(const S& system, const ExploreResult& result, const ExploreOptions& options) {
    NaiveSearch naive(system, options.check, options.reach);
    naive.visit_all();
    RC_ASSERT(result.complete);
    RC_ASSERT(result.states == naive.states());
    RC_ASSERT(result.transitions == naive.transitions);
    RC_ASSERT(result.terminal_states == naive.terminal_states);
    RC_ASSERT(names(result.violations) == naive.violated);
    RC_ASSERT(names(result.reached) == naive.goals);
}

void agree_on_shortest(const ExploreResult& result,
                       const std::map<std::string, std::size_t>& fewest) {
    RC_ASSERT(result.violations.size() == fewest.size());
    for (const FoundViolation& violation : result.violations) {
        const std::string name(violation.property->name);
        RC_ASSERT(fewest.at(name) == violation.schedule.actions.size());
    }
}

void replays(const Runner& system, const ExploreResult& result) {
    for (const FoundViolation& violation : result.violations) {
        ReplayOptions options;
        options.check = {violation.property};
        const Trace trace = system.replay(violation.schedule, options);
        RC_ASSERT(trace.divergences.empty());
        RC_ASSERT(trace.violated == options.check);
    }
}

RC_GTEST_PROP(ExplorerAndItsNaiveTwin, AgreeOnEveryScopeOfTheCanalLock, ()) {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    const CanalScope scope = small_enough(random_scope({3, 3, cyclic, true}), kScopeStatesMax);
    RC_LOG() << to_text(scope);
    const ExploreOptions options = asking(properties_for(scope.world));
    const auto system = runner(scope);
    const ExploreResult result = system->explore(options);
    agree(tiny(scope), result, options);
    replays(*system, result);
}

RC_GTEST_PROP(ExplorerAndItsNaiveTwin, AgreeOnEveryGraph, ()) {
    const GraphSystem graph = random_graph(40, false);
    const ExploreOptions options = asking(properties_for({}));
    const auto system = runner(graph);
    const ExploreResult result = system->explore(options);
    agree(graph, result, options);
    replays(*system, result);
}

RC_GTEST_PROP(ExplorerAndItsNaiveTwin, AgreeOnHowFewStepsBreakEachProperty, ()) {
    const GraphSystem graph = random_graph(40, false);
    ExploreOptions options = asking(properties_for({}));
    options.frontier = Frontier::kQueue;
    agree_on_shortest(runner(graph)->explore(options),
                      NaiveSearch(graph, options.check, {}).fewest_steps());

    const CanalScope scope = small_enough(random_scope({3, 3, true, true}), kScopeStatesMax);
    RC_LOG() << to_text(scope);
    options.check = properties_for(scope.world);
    options.symmetry = *rc::gen::arbitrary<bool>();
    const TinyWorld world = tiny(scope);
    agree_on_shortest(runner(scope)->explore(options),
                      NaiveSearch(world, options.check, {}).fewest_steps());
}

RC_GTEST_PROP(ExplorerAndItsNaiveTwin, AgreeOnTheNumberOfInterleavings, ()) {
    const auto agree_on_paths = [](const Runner& system, std::uint64_t paths) {
        if (paths > kPathsMax) {
            return;  // too many to walk
        }
        for (const bool symmetry : {false, true}) {
            ExploreOptions options;
            options.symmetry = symmetry;
            const ExploreResult result = system.explore(options);
            RC_ASSERT(result.acyclic == std::optional(true));
            RC_ASSERT(*result.interleavings == std::to_string(paths));
        }
    };
    const GraphSystem graph = random_graph(15, true);
    agree_on_paths(*runner(graph), NaiveSearch(graph, {}, {}).walk_paths(kPathsMax));

    const CanalScope scope = small_enough(random_scope({3, 2, false, false}), 200);
    RC_LOG() << to_text(scope);
    const TinyWorld world = tiny(scope);
    agree_on_paths(*runner(scope), NaiveSearch(world, {}, {}).walk_paths(kPathsMax));
}

RC_GTEST_PROP(Symmetry, ChangesNothingButTheNumberOfStates, ()) {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    const CanalScope scope = small_enough(random_scope({4, 2, cyclic, true}), 8 * kScopeStatesMax);
    RC_LOG() << to_text(scope);
    const auto system = runner(scope);
    ExploreOptions options = asking(properties_for(scope.world));
    options.storage = Storage::kExact;
    const ExploreResult full = system->explore(options);
    options.symmetry = true;
    const ExploreResult reduced = system->explore(options);
    RC_ASSERT(reduced.used_symmetry && reduced.complete);
    RC_ASSERT(reduced.states <= full.states);
    RC_ASSERT(names(reduced.violations) == names(full.violations));
    RC_ASSERT(names(reduced.reached) == names(full.reached));
    RC_ASSERT(reduced.acyclic == full.acyclic);
    RC_ASSERT(reduced.interleavings == full.interleavings);
    replays(*system, reduced);
}

// Every state of the one search is a renaming of a state of the other: classes, counted naively.
RC_GTEST_PROP(Symmetry, LeavesOneStateOfEachClass, ()) {
    const CanalScope scope = small_enough(random_scope({4, 2, false, true}), kScopeStatesMax);
    RC_LOG() << to_text(scope);
    const TinyWorld world = tiny(scope);
    NaiveSearch<TinyWorld>::States classes;
    NaiveSearch naive(world, {}, {});
    naive.visit_all();
    naive.for_each([&](TinyWorld::State state) {
        world.canonicalize(state);
        classes.insert(state);
    });
    ExploreOptions options = asking({});
    options.symmetry = true;
    RC_ASSERT(runner(scope)->explore(options).states == classes.size());
}

}  // namespace
}  // namespace lockkeeper
