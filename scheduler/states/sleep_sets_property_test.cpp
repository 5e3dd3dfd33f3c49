// SPDX-License-Identifier: Apache-2.0

// Sleep sets lose nothing: what is called independent commutes, and the same states are found at
// the same depth with them and without.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"
#include "scheduler/search/explorer.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

constexpr std::uint64_t kStatesOfSleep = kIsSlowBuild ? 1'000 : 20'000;
int scopes_of_sleep() { return kIsSlowBuild ? 1 : testing_model::is_short_run() ? 1 : 10; }

CanalScope scope_of_sleep() {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    return small_enough(random_scope({4, 4, cyclic, false, false}), kStatesOfSleep);
}

std::vector<Action> actions_of(const TinyWorld& world, const TinyWorld::State& state,
                               std::size_t slot) {
    ActionList actions;
    world.enabled_of(state, slot, actions);
    return {actions.begin(), actions.end()};
}

void expect_commuting(const TinyWorld& world, const TinyWorld::State& state, Action left,
                      Action right) {
    const auto taken_in_order = [&](Action first, Action second) {
        TinyWorld::State after = state;
        const Footprint before = world.footprint(state, second);
        world.apply(after, first);
        const auto possible = actions_of(world, after, second.actor);
        RC_ASSERT(std::find(possible.begin(), possible.end(), second) != possible.end());
        RC_ASSERT(world.footprint(after, second) == before);
        world.apply(after, second);
        return after;
    };
    const TinyWorld::State one = taken_in_order(left, right);
    const TinyWorld::State other = taken_in_order(right, left);
    RC_ASSERT(std::memcmp(&one, &other, sizeof(one)) == 0);
}

// All pairs in all states; how many were independent.
std::size_t expect_all_commuting(const CanalScope& scope) {
    const TinyWorld world = tiny(scope);
    NaiveSearch naive(world, {}, {});
    naive.visit_all();
    std::size_t pairs = 0;
    naive.for_each([&](const TinyWorld::State& state) {
        for (std::size_t left = 0; left < world.slots_count(); ++left) {
            for (std::size_t right = left + 1; right < world.slots_count(); ++right) {
                for (const Action one : actions_of(world, state, left)) {
                    for (const Action other : actions_of(world, state, right)) {
                        if (are_independent(world.footprint(state, one),
                                            world.footprint(state, other))) {
                            expect_commuting(world, state, one, other);
                            ++pairs;
                        }
                    }
                }
            }
        }
    });
    return pairs;
}

RC_GTEST_PROP(SleepSets, IndependentStepsCommute, ()) {
    std::size_t pairs = 0;
    for (int i = 0; i < scopes_of_sleep(); ++i) {
        const CanalScope scope = scope_of_sleep();
        RC_LOG() << to_text(scope) << "\n";
        pairs += expect_all_commuting(scope);
    }
    RC_CLASSIFY(pairs > 0, "has independent steps");
}

ExploreOptions with_sleep(const CanalScope& scope, bool sleep_sets) {
    ExploreOptions options;
    options.check = properties_for(scope.world);
    options.reach = goals();
    options.symmetry = false;
    options.counting = Counting::kOff;
    options.sleep_sets = sleep_sets;
    return options;
}

// Each state with its depth. Up to symmetry a search keeps the one of which it came upon the parts
// first, which depends on the order of its steps.
std::map<std::string, std::size_t> depths(const TinyWorld& world,
                                          const Explorer<TinyWorld>& explorer, bool symmetry) {
    std::map<std::string, std::size_t> found;
    const auto& reached = explorer.reached();
    for (std::size_t number = 0; number < reached.size(); ++number) {
        TinyWorld::State state = reached.state_at(number);
        if (symmetry) {
            world.canonicalize(state);
        }
        std::size_t depth = 0;
        for (StateId id = reached.id_of(number); reached.store().parent(id) != kNoState;
             id = reached.store().parent(id)) {
            ++depth;
        }
        found.emplace(std::string(reinterpret_cast<const char*>(&state), sizeof(state)), depth);
    }
    return found;
}

RC_GTEST_PROP(SleepSets, LeaveEveryStateAtItsDepthAndEveryTransition, ()) {
    const CanalScope scope = scope_of_sleep();
    RC_LOG() << to_text(scope);
    const TinyWorld world = tiny(scope);
    ExploreOptions plain_options = with_sleep(scope, false);
    plain_options.symmetry = *rc::gen::arbitrary<bool>();
    Explorer<TinyWorld> plain(world, plain_options);
    plain.run();
    ExploreOptions options = with_sleep(scope, true);
    options.symmetry = plain_options.symmetry;
    options.jobs = *rc::gen::element<std::size_t>(1, 3);
    Explorer<TinyWorld> asleep(world, options);
    asleep.run();
    RC_ASSERT(depths(world, asleep, options.symmetry) == depths(world, plain, options.symmetry));
    RC_ASSERT(asleep.progress().transitions == plain.progress().transitions);
    RC_ASSERT(asleep.progress().terminal_states == plain.progress().terminal_states);
    RC_ASSERT(asleep.progress().levels == plain.progress().levels);
    RC_ASSERT(asleep.progress().goal_reached == plain.progress().goal_reached);
    for (std::size_t i = 0; i < options.check.size(); ++i) {
        RC_ASSERT(asleep.progress().first[i].found == plain.progress().first[i].found);
        RC_ASSERT(asleep.progress().first[i].steps == plain.progress().first[i].steps);
    }

    options.frontier = Frontier::kStack;
    Explorer<TinyWorld> deep(world, options);
    deep.run();
    RC_ASSERT(deep.reached().size() == plain.reached().size());
    RC_ASSERT(deep.progress().transitions == plain.progress().transitions);
}

// The same answers, through the runner: with traces that replay.
RC_GTEST_PROP(SleepSets, ChangeNoVerdict, ()) {
    const CanalScope scope = scope_of_sleep();
    RC_LOG() << to_text(scope);
    const auto system = runner(scope);
    const ExploreResult plain = system->explore(with_sleep(scope, false));
    const ExploreResult asleep = system->explore(with_sleep(scope, true));
    RC_ASSERT(asleep.complete && plain.complete);
    RC_ASSERT(asleep.verdict.index() == plain.verdict.index());
    RC_ASSERT(names(asleep.violations) == names(plain.violations));
    for (const FoundViolation& violation : asleep.violations) {
        ReplayOptions options;
        options.check = {violation.property};
        const Trace trace = system->replay(violation.schedule, options);
        RC_ASSERT(trace.divergences.empty());
    }
}

TEST(SleepSets, AreNotedWithTheStateAndMeanTheSlotAndItsStep) {
    FootprintKinds kinds;
    EXPECT_EQ(kinds.kind_of(kTouchesEverything), 0);
    const Footprint counter{1, 1};
    const std::uint8_t own = kinds.kind_of({});
    const std::uint8_t shared = kinds.kind_of(counter);
    EXPECT_EQ(kinds.kind_of({}), own);
    EXPECT_EQ(kinds.independent_of(0), 0U);
    EXPECT_EQ(kinds.independent_of(own), 1U << own | 1U << shared);
    EXPECT_EQ(kinds.independent_of(shared), 1U << own);
    const SleepSet asleep(SleepSet::note(5, shared), kinds);
    EXPECT_EQ(asleep.of(4), 1U << own);
    EXPECT_EQ(asleep.of(5), 0U);
    EXPECT_EQ(SleepSet::note(SleepSet::kSlotsMost, shared), 0U);

    for (std::uint8_t bit = 1; bit < 40; ++bit) {  // more than there are numbers for
        EXPECT_LT(kinds.kind_of({bit, 0}), FootprintKinds::kKinds);
    }
    EXPECT_EQ(kinds.kind_of({39, 0}), 0);
}

// Where the manager is, half of all steps concern nobody but the caller and its record.
TEST(SleepSets, PassOverStepsOfTheCanalLock) {
    const CanalScope scope = once_each({1, 1, 2, 2}, 1, 2);
    const TinyWorld world = tiny(scope);
    const ExploreOptions options = with_sleep(scope, true);
    Explorer<TinyWorld> explorer(world, options);
    explorer.run();
    std::size_t noted = 0;
    for (std::size_t number = 0; number < explorer.reached().size(); ++number) {
        const auto& reached = explorer.reached();
        const unsigned note = note_of(*reached.store().record(reached.id_of(number)));
        noted += note >= FootprintKinds::kKinds ? 1U : 0U;
    }
    EXPECT_GT(noted, explorer.reached().size() / 2);
}

}  // namespace
}  // namespace lockkeeper
