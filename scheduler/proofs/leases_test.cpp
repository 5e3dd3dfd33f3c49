// SPDX-License-Identifier: Apache-2.0

// The lease coordinator with any number of callers: what is proved of it by record is what the
// LeaseCoordinator itself shows, with one, two and three callers.
#include <gtest/gtest.h>

#include "model/long_run_test.hpp"
#include "model/slow_build_test.hpp"
#include "scheduler/proofs/compare_leases_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using leases::CoordinatorByRecord;
using leases::LeaseCoordinator;
using leases::LeaseCoordinatorCall;

const std::vector<const Property*>& checked() { return checked_of<LeaseCoordinator>(); }

// A holder's clock is behind by `skew`.
LeaseScope late_holders(std::int32_t ttl, std::int32_t skew, std::int32_t pause,
                        std::int32_t grace) {
    LeaseScope scope = leases_with_clocks({-skew}, {});
    scope.options.ttl = ttl;
    scope.options.pause = pause;
    scope.options.grace = grace;
    scope.options.reaper = 1;
    scope.options.until = 3 * ttl;
    scope.options.repairs = leases::kCoCheckedRelease;
    scope.world.crashes_max = 1;
    return scope;
}

proofs::Decision decided_leases(const LeaseScope& scope,
                                const std::vector<const Property*>& check) {
    const proofs::ReplicatedWorld apart = taken_apart(scope);
    const auto explore = [&](const std::vector<std::size_t>& counts) {
        const LeaseScope many = with_callers(scope, counts);
        ExploreOptions options;
        options.check = check;
        options.counting = Counting::kOff;
        options.reduction = Reduction::kFaultsLeftAndRelativeTime;
        options.stop_at_first = true;
        const ExploreResult result =
            explore_all(LeaseCoordinator(many.options), many.world, options);
        return result.violations.empty() ? proofs::Scope::kPassed : proofs::Scope::kViolated;
    };
    return proofs::decide(
        {scope.world.callers.size(), explore,
         [&] { return proofs::prove(apart, {.check = check}); },
         [&](const proofs::Certificate& proof) { return proofs::why_refused(proof, apart); }, 4,
         2});
}

TEST(LeaseCoordinatorProofTest, AGraceOfSkewAndPauseIsEnoughForEveryNumberAndOneLessIsNotForTwo) {
    for (std::int32_t skew = 0; skew <= 2; ++skew) {
        for (std::int32_t pause = 0; pause <= 2; ++pause) {
            const std::int32_t grace = skew + pause;
            const auto safe = decided_leases(late_holders(10, skew, pause, grace), checked());
            EXPECT_TRUE(safe.proved) << skew << " " << pause << ": " << safe.undecided;
            if (grace > 0) {
                const auto unsafe = decided_leases(late_holders(10, skew, pause, grace - 1),
                                                   only("belief-overlap"));
                EXPECT_EQ(unsafe.violated, std::vector<std::size_t>{2}) << skew << " " << pause;
            }
        }
    }
}

TEST(LeaseCoordinatorProofTest, AWriteThatIsNotGuardedIsUnprotectedWithOneCaller) {
    LeaseScope scope = late_holders(10, 0, 0, 0);
    scope.options.transaction = 2;
    scope.world.callers[0].script =
        leases_with_clocks({0}, {LeaseCoordinatorCall::kWrite}).world.callers[0].script;
    EXPECT_EQ(decided_leases(scope, only("unprotected-effect")).violated,
              std::vector<std::size_t>{1});
    scope.options.repairs |= leases::kCoGuardedWrites;
    const auto guarded = decided_leases(scope, checked());
    EXPECT_TRUE(guarded.proved) << guarded.undecided;
}

TEST(LeaseCoordinatorProofTest, WithoutAReaperTheRowOfWhoHasCrashedIsLeakedByOne) {
    LeaseScope scope = late_holders(10, 0, 0, 0);
    const auto reaped = decided_leases(scope, only("leak"));
    EXPECT_TRUE(reaped.proved) << reaped.undecided;
    scope.options.reaps = scope.options.is_reaped = false;
    EXPECT_EQ(decided_leases(scope, only("leak")).violated, std::vector<std::size_t>{1});
    EXPECT_FALSE(proofs::prove(taken_apart(scope), {.check = only("leak")}).certificate);
}

// Numbers of acquisitions do not grow: who had the row that is gone has not the one after it.
TEST(LeaseCoordinatorProofTest, WhoseRowWasReapedHasNotTheRowOfTheNext) {
    const LeaseScope two = with_callers(late_holders(6, 0, 5, 0), {2});
    const WorldConfig config = with_kinds_in_operations(two.world);
    const World<CoordinatorByRecord> world(CoordinatorByRecord(two.options, config), config);
    auto state = world.initial();
    const auto take = [&](auto is_it) {
        ActionList actions;
        world.enabled(state, actions);
        const auto* const found = std::find_if(actions.begin(), actions.end(), is_it);
        ASSERT_NE(found, actions.end());
        world.apply(state, *found);
    };
    const auto acquire = [&](std::uint8_t caller) {
        while (state.slots[caller].held[0] == 0) {
            take([&](Action action) {
                return action.kind == ActionKind::kStep && action.actor == caller;
            });
        }
    };
    const auto holds = [&](std::size_t caller) {
        return world.implementation().holds(state.shared, state.slots[caller].record, 0);
    };
    acquire(0);
    EXPECT_TRUE(holds(0));
    for (int i = 0; i < 7; ++i) {
        take([](Action action) { return action.kind == ActionKind::kTime; });
    }
    take(CoordinatorByRecord::is_elsewhere);
    acquire(1);
    EXPECT_FALSE(holds(0));
    EXPECT_TRUE(holds(1));
}

TEST(LeaseCoordinatorProofTest, AProofByASearchThatJudgesNothingIsRefused) {
    const proofs::ReplicatedWorld apart = taken_apart(late_holders(6, 1, 1, 1));
    const auto made = proofs::prove(apart, {.check = only("belief-overlap"),
                                            .ways = {proofs::Way::kCountsAtOnce},
                                            .bug = proofs::SearchBug::kJudgesNothing});
    ASSERT_TRUE(made.certificate) << made.why_not;
    EXPECT_NE(proofs::why_refused(*made.certificate, apart), "");
}

TEST(LeaseCoordinatorProofTest, AnotherPropertyThanIsShownIsNotProved) {
    const LeaseScope scope = late_holders(6, 0, 0, 0);
    const proofs::ReplicatedWorld apart = taken_apart(scope);
    const auto made = proofs::prove(apart, {.check = only("stale-read")});
    EXPECT_FALSE(made.certificate);
    auto proved = *proofs::prove(apart, {.check = only("belief-overlap")}).certificate;
    proved.proved = {"stale-read"};
    EXPECT_NE(proofs::why_refused(proved, apart), "");
}

// Skew, pause and messages under way; more takes longer, in proportion to the ttl.
TEST(LeaseCoordinatorProofTest, ALeaseOfAHundredUnitsIsProvedAndSoIsOneWithRenewals) {
    for (const bool module : {false, true}) {
        LeaseScope scope = late_holders(100, 5, 5, 10);
        scope.options.delay = 1;
        scope.options.module = module;
        const proofs::ReplicatedWorld apart = taken_apart(scope);
        const auto made = proofs::prove(apart, {.check = checked()});
        ASSERT_TRUE(made.certificate) << made.why_not;
        EXPECT_EQ(proofs::why_refused(*made.certificate, apart), "");
        EXPECT_EQ(made.sizes.markings, module ? 480 : 220);
    }
}

TEST(LeaseCoordinatorProofTest, LeasesThatAreNotProvedSayWhy) {
    const auto why = [](auto change) {
        LeaseScope scope = late_holders(6, 0, 0, 0);
        change(scope.options);
        return CoordinatorByRecord::why_not(scope.options, scope.world);
    };
    using Options = leases::LeaseCoordinatorOptions;
    EXPECT_EQ(why([](Options&) {}), "");
    EXPECT_NE(why([](Options& options) { options.wait = 1; }), "");
    EXPECT_NE(why([](Options& options) { options.clients[0].wait = 1; }), "");
    EXPECT_NE(why([](Options& options) { options.upsert = true; }), "");
    EXPECT_NE(why([](Options& options) { options.hooks = true; }), "");
    EXPECT_NE(why([](Options& options) { options.faults.deletions = 1; }), "");
    EXPECT_NE(why([](Options& options) { options.repairs = leases::kCoFencing; }), "");
    EXPECT_NE(why([](Options& options) { options.ttl = 1; }), "");
}

TEST(LeaseCoordinatorProofTest, RandomLeasesAreExploredAlikeAndNoProofIsContradicted) {
    compare_leases(random_leases, 1, testing_model::kIsSlowBuild ? 5 : 25, 2);
}

// With the label `long`, as every_number_leases_long (cmake/LockkeeperTests.cmake).
TEST(LeaseCoordinatorProofTest, DISABLED_LongRandomLeasesAreExploredAlikeAndNoProofIsContradicted) {
    const auto seeds = testing_model::seeds_of_long_run({1'000'000, 5'000});
    compare_leases(random_leases, seeds.first, seeds.count, 3);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
