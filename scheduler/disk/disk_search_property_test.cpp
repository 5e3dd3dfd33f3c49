// SPDX-License-Identifier: Apache-2.0

// Searches that go on from disk against the same in memory, and against the naive twin, on random
// scopes and random graphs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/disk/disk_search_test.hpp"
#include "scheduler/random_scopes_test.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

constexpr std::uint64_t kDiskStatesMax = kIsSlowBuild ? 500 : 5'000;

ExploreOptions random_options(std::vector<const Property*> check) {
    ExploreOptions options;
    options.check = std::move(check);
    std::erase_if(options.check, [](const Property* property) {
        return property->kind == PropertyKind::kEventually;  // needs the graph
    });
    options.reach = goals();
    options.counting = Counting::kOff;
    options.symmetry = *rc::gen::arbitrary<bool>();
    options.sleep_sets = *rc::gen::arbitrary<bool>();
    options.stop_at_first = *rc::gen::arbitrary<bool>();
    options.jobs = *rc::gen::element<std::size_t>(1, 2);
    return options;
}

ExploreResult explored_on_disk(const Runner& system, const ExploreOptions& options) {
    const TemporaryDirectory directory;
    const auto states = *rc::gen::inRange<std::uint64_t>(1, 300);
    const auto runs = *rc::gen::inRange<std::size_t>(2, 5);
    ExploreResult result = system.explore(on_disk(options, directory, states, runs));
    RC_ASSERT(directory.is_empty());
    return result;
}

void agree(const ExploreResult& disk, const ExploreResult& memory) {
    RC_ASSERT(disk.complete == memory.complete);
    RC_ASSERT(disk.limit == memory.limit);
    RC_ASSERT(disk.states == memory.states);
    RC_ASSERT(disk.transitions == memory.transitions);
    RC_ASSERT(disk.depth == memory.depth);
    RC_ASSERT(disk.terminal_states == memory.terminal_states);
    RC_ASSERT(names(disk.reached) == names(memory.reached));
    RC_ASSERT(disk.violations.size() == memory.violations.size());
    for (std::size_t i = 0; i < memory.violations.size(); ++i) {
        RC_ASSERT(disk.violations[i].property == memory.violations[i].property);
        RC_ASSERT(disk.violations[i].schedule.actions == memory.violations[i].schedule.actions);
    }
}

RC_GTEST_PROP(DiskSearchAndMemory, AgreeOnEveryScopeOfTheCanalLock, ()) {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    const CanalScope scope = small_enough(random_scope({3, 3, cyclic, true}), kDiskStatesMax);
    RC_LOG() << to_text(scope);
    const ExploreOptions options = random_options(properties_for(scope.world));
    const auto system = runner(scope);
    agree(explored_on_disk(*system, options), system->explore(options));
}

RC_GTEST_PROP(DiskSearchAndMemory, AgreeOnEveryGraph, ()) {
    const GraphSystem graph = random_graph(60, false);
    const ExploreOptions options = random_options(properties_for({}));
    const auto system = runner(graph);
    agree(explored_on_disk(*system, options), system->explore(options));
}

RC_GTEST_PROP(DiskSearchAndItsNaiveTwin, AgreeOnEveryScopeOfTheCanalLock, ()) {
    const CanalScope scope = small_enough(random_scope({3, 3, true, true}), kDiskStatesMax / 2);
    RC_LOG() << to_text(scope);
    ExploreOptions options = random_options(properties_for(scope.world));
    options.symmetry = false;
    options.stop_at_first = false;
    const ExploreResult result = explored_on_disk(*runner(scope), options);
    const TinyWorld world = tiny(scope);
    NaiveSearch naive(world, options.check, options.reach);
    naive.visit_all();
    RC_ASSERT(result.states == naive.states());
    RC_ASSERT(result.transitions == naive.transitions);
    RC_ASSERT(names(result.violations) == naive.violated);
    RC_ASSERT(names(result.reached) == naive.goals);
}

}  // namespace
}  // namespace lockkeeper
