// SPDX-License-Identifier: Apache-2.0

// Shrinking never loses what it was given: random scopes, random seeds, every property.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

void check_shrunk(const Runner& system, const FoundViolation& found) {
    const ShrinkResult shrunk = system.shrink(found.schedule, *found.property);
    const std::vector<Action>& actions = shrunk.schedule.actions;
    RC_ASSERT(actions.size() <= found.schedule.actions.size());

    ReplayOptions options;
    options.check = {found.property};
    const Trace trace = system.replay(shrunk.schedule, options);
    RC_ASSERT(trace.divergences.empty());
    RC_ASSERT(trace.violated == options.check);
    if (!actions.empty()) {
        RC_ASSERT(trace.steps.back().violates == options.check);
    }

    RC_ASSERT(std::is_sorted(shrunk.causes.begin(), shrunk.causes.end()));
    RC_ASSERT(std::adjacent_find(shrunk.causes.begin(), shrunk.causes.end()) ==
              shrunk.causes.end());
    for (const std::size_t cause : shrunk.causes) {
        RC_ASSERT(cause < actions.size());
    }
    const ShrinkResult again = system.shrink(shrunk.schedule, *found.property);
    RC_ASSERT(again.schedule.actions.size() == actions.size());
}

RC_GTEST_PROP(Shrinking, KeepsTheViolationOfTheCanalLockInItsLastStep, ()) {
    const CanalScope scope =
        small_enough(random_scope({3, 3, false, true}), kIsSlowBuild ? 1'000 : 10'000);
    RC_LOG() << to_text(scope);
    const auto system = runner(scope);
    FuzzOptions options;
    options.check = properties_for(scope.world);
    options.seed = *rc::gen::arbitrary<std::uint64_t>();
    options.schedules_max = 200;
    options.stop_at_first = false;
    const FuzzResult found = system->fuzz(options);
    RC_CLASSIFY(found.violations.empty());
    for (const FoundViolation& violation : found.violations) {
        check_shrunk(*system, violation);
    }
}

RC_GTEST_PROP(Shrinking, KeepsTheViolationOfAnyGraph, ()) {
    const auto system = runner(random_graph(40, false));
    FuzzOptions options;
    options.check = properties_for({});
    options.seed = *rc::gen::arbitrary<std::uint64_t>();
    options.schedules_max = 100;
    options.steps_max = 200;
    options.stop_at_first = false;
    for (const FoundViolation& violation : system->fuzz(options).violations) {
        check_shrunk(*system, violation);
    }
}

}  // namespace
}  // namespace lockkeeper
