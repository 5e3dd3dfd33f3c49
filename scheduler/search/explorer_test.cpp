// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::IsEmpty;

ExploreOptions without_more() {
    ExploreOptions options;
    options.symmetry = false;
    options.counting = Counting::kOff;
    return options;
}

ExploreResult explored(const CanalScope& scope, const ExploreOptions& options = without_more()) {
    return runner(scope)->explore(options);
}

void expect_counts(const ExploreResult& result, std::uint64_t states, std::uint64_t transitions) {
    EXPECT_TRUE(result.complete) << result.limit;
    EXPECT_EQ(result.states, states);
    EXPECT_EQ(result.transitions, transitions);
}

CanalScope two_warm() { return warm(once_each({2, 2}, 1, 15), 2); }
CanalScope three_warm_callers() { return warm(once_each({2, 2, 2}, 1, 15), 2); }

// Without symmetry: the numbers of the SPIN model of the same steps, which was written on its own
// (bench/compare/spin, table "State counts"): run_spin.sh 2,2 1 15 warm full; 2,2,2 1 15 warm full;
// and so on. They are the same with g++ and clang, with and without optimisation.
TEST(Explorer, TwoCallersOfAWarmLockHaveTheStatesThatSpinCounts) {
    const ExploreResult result = explored(two_warm());
    expect_counts(result, 691, 1'694);
    EXPECT_EQ(result.terminal_states, 2U);
    // The shortest ways to them, listed once by hand: [0,0] after 20 steps (10 a caller: acquire 2,
    // release 6 with the undo in bucket 2, the manager's messages 2) and [0,1] after 22.
    EXPECT_EQ(result.depth, 22U);
    // [0,1] with no holder is a leak without any fault: while A has yet to undo in bucket 2, B
    // takes there and gives back; both find it below 0, and both undo.
    ExploreOptions options = without_more();
    options.check = {find_property("leak")};
    const ExploreResult judged = explored(two_warm(), options);
    ASSERT_EQ(judged.violations.size(), 1U);
    EXPECT_EQ(judged.violations[0].schedule.actions.size(), 22U);
    EXPECT_FALSE(result.used_symmetry);
    EXPECT_STREQ(name_of(result.verdict).data(), "passed");
}

TEST(Explorer, ThreeCallersOfAWarmLockHaveTheStatesThatSpinCounts) {
    expect_counts(explored(three_warm_callers()), 31'374, 114'600);
}

TEST(Explorer, FourCallersOfAColdLockHaveTheStatesThatSpinCounts) {
    expect_counts(explored(once_each({1, 1, 2, 2}, 1, 2)), 257'740, 1'143'264);
}

TEST(Explorer, FourCallersWithTwoUnitsABucketHaveTheStatesThatSpinCounts) {
    if (kIsSlowBuild) {
        GTEST_SKIP() << "too slow in this build";
    }
    expect_counts(explored(once_each({1, 1, 2, 2}, 2, 2)), 948'485, 3'957'556);
}

TEST(Explorer, SixCallersWithoutManagerHaveTheStatesThatSpinCounts) {
    if (kIsSlowBuild) {
        GTEST_SKIP() << "too slow in this build";
    }
    expect_counts(explored(counters_only(once_each({1, 1, 1, 2, 2, 2}, 2, 2))), 2'463'086,
                  10'520'775);
}

// Measured, not derived: there is no other tool that makes the same classes. What they must be by
// theory is checked on small scopes: explorer_property_test.cpp. A lower bound is the unreduced
// number over 2! * 2! (or 3!).
TEST(Explorer, SymmetryLeavesTheMeasuredNumberOfClasses) {
    ExploreOptions options = without_more();
    options.symmetry = true;
    const ExploreResult two = explored(two_warm(), options);
    expect_counts(two, 356, 872);
    EXPECT_TRUE(two.used_symmetry);
    EXPECT_EQ(two.depth, 22U);
    expect_counts(explored(three_warm_callers(), options), 5'789, 21'056);
    expect_counts(explored(once_each({1, 1, 2, 2}, 1, 2), options), 69'971, 309'760);
}

TEST(Explorer, AStackAndFingerprintsFindTheSameStatesAsAQueueAndBytes) {
    for (const Frontier frontier : {Frontier::kQueue, Frontier::kStack}) {
        for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
            ExploreOptions options = without_more();
            options.frontier = frontier;
            options.storage = storage;
            options.reach = goals();
            const ExploreResult result = explored(three_warm_callers(), options);
            expect_counts(result, 31'374, 114'600);
            EXPECT_EQ(result.terminal_states, explored(three_warm_callers()).terminal_states);
            EXPECT_EQ(names(result.reached),
                      (std::set<std::string>{"acquired", "full", "released", "marked-full",
                                             "out-of-buckets"}));
            EXPECT_EQ(result.omission_probability > 0, storage == Storage::kFingerprints);
            EXPECT_LT(result.omission_probability, 1e-9);
        }
    }
}

TEST(Explorer, AStackAndFingerprintsFindTheSameViolationsAsAQueueAndBytes) {
    const CanalScope scope = with_crashes(once_each({1, 2}, 1, 1), 1);
    const auto system = runner(scope);
    for (const bool symmetry : {false, true}) {
        for (const Frontier frontier : {Frontier::kQueue, Frontier::kStack}) {
            for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
                ExploreOptions options = without_more();
                options.check = properties_for(scope.world);
                options.symmetry = symmetry;
                const auto expected = names(system->explore(options).violations);
                EXPECT_TRUE(expected.contains("leak"));
                options.frontier = frontier;
                options.storage = storage;
                EXPECT_EQ(names(system->explore(options).violations), expected);
            }
        }
    }
}

TEST(Explorer, EachFoundScheduleIsPossibleAndBreaksItsPropertyInItsLastStep) {
    const CanalScope scope = with_crashes(once_each({1, 2}, 1, 1), 1);
    const auto system = runner(scope);
    ExploreOptions options = without_more();
    options.check = properties_for(scope.world);
    for (const bool symmetry : {false, true}) {
        options.symmetry = symmetry;
        const ExploreResult result = system->explore(options);
        ASSERT_FALSE(result.violations.empty());
        for (const FoundViolation& violation : result.violations) {
            ReplayOptions asked;
            asked.check = {violation.property};
            const Trace trace = system->replay(violation.schedule, asked);
            EXPECT_THAT(trace.divergences, IsEmpty());
            ASSERT_EQ(trace.steps.size(), violation.schedule.actions.size());
            EXPECT_THAT(trace.steps.back().violates, ::testing::ElementsAre(violation.property));
        }
    }
}

TEST(Explorer, NoScheduleIsShorterThanTheOneFound) {
    for (const CanalScope& scope : {leaking(), misused(), with_crashes(once_each({1, 2}, 1, 1), 1),
                                    once_each({2, 2}, 1, 1)}) {
        const TinyWorld world = tiny(scope);
        const auto properties = properties_for(scope.world);
        const auto fewest = NaiveSearch(world, properties, {}).fewest_steps();
        ExploreOptions options = without_more();
        options.check = properties;
        for (const bool symmetry : {false, true}) {
            options.symmetry = symmetry;
            std::map<std::string, std::size_t> found;
            for (const FoundViolation& violation : explored(scope, options).violations) {
                found.emplace(violation.property->name, violation.schedule.actions.size());
            }
            EXPECT_EQ(found, fewest);
        }
    }
}

TEST(Explorer, TheFirstViolationListedIsAShortest) {
    ExploreOptions options = without_more();
    const CanalScope scope = with_crashes(once_each({1, 2}, 1, 1), 1);
    options.check = properties_for(scope.world);
    const ExploreResult result = explored(scope, options);
    for (const FoundViolation& violation : result.violations) {
        EXPECT_GE(violation.schedule.actions.size(),
                  result.violations.front().schedule.actions.size());
    }
    const auto& violated = std::get<Violated>(result.verdict);
    EXPECT_EQ(violated.property, result.violations.front().property->name);
    EXPECT_EQ(violated.schedule, result.violations.front().schedule);
}

TEST(Explorer, OnlyReachableGoalsAreReached) {
    ExploreOptions options = without_more();
    options.reach = goals();
    const ExploreResult one = explored(warm(once_each({1}, 1, 2), 1), options);
    EXPECT_EQ(names(one.reached), (std::set<std::string>{"acquired", "released"}));
    const ExploreResult cold = explored(with_crashes(once_each({1, 1}, 1, 0), 1), options);
    EXPECT_EQ(names(cold.reached),
              (std::set<std::string>{"acquired", "full", "released", "marked-full",
                                     "bucket-created", "out-of-buckets", "crashed", "forced"}));
}

// Two callers that take 1 and 2 steps on their own: 3!/(1!2!) orders, by either way of counting.
TEST(Explorer, InterleavingsAreCountedWhereThereIsNoCycle) {
    ExploreOptions options = without_more();
    options.counting = Counting::kOn;
    GraphSystem grid;
    grid.nodes.resize(6);
    for (std::uint32_t a = 0; a < 2; ++a) {
        for (std::uint32_t b = 0; b < 3; ++b) {
            GraphNode& node = grid.nodes[a * 3 + b];
            node.finished = a == 1 && b == 2;
            if (a < 1) {
                node.edges.push_back({step_of(0), (a + 1) * 3 + b, 0});
            }
            if (b < 2) {
                node.edges.push_back({step_of(1), a * 3 + b + 1, 0});
            }
        }
    }
    const ExploreResult result = runner(grid)->explore(options);
    expect_counts(result, 6, 7);
    EXPECT_EQ(result.acyclic, std::optional(true));
    EXPECT_EQ(result.interleavings, std::optional<std::string>("3"));

    grid.nodes[5].edges.push_back({step_of(0), 0, 0});
    const ExploreResult cyclic = runner(grid)->explore(options);
    EXPECT_EQ(cyclic.acyclic, std::optional(false));
    EXPECT_EQ(cyclic.interleavings, std::nullopt);

    options.counting = Counting::kOff;
    EXPECT_EQ(runner(grid)->explore(options).acyclic, std::nullopt);
}

}  // namespace
}  // namespace lockkeeper
