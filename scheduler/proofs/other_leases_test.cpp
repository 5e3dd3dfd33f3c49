// SPDX-License-Identifier: Apache-2.0

// The database leases and the lease service with any number of callers: what is proved of them by
// record is what the systems themselves show, with one, two and three callers.
#include <random>

#include <gtest/gtest.h>

#include "model/long_run_test.hpp"
#include "model/slow_build_test.hpp"
#include "scheduler/proofs/compare_leases_test.hpp"

namespace lockkeeper::testing_proofs::other_leases {
namespace {

using leases::LeaseDb;
using leases::LeaseDbCall;
using leases::LeaseService;
using leases::LeaseServiceCall;

class Dice {
  public:
    explicit Dice(std::uint32_t seed) : random_(seed) {}
    std::int32_t below(unsigned most) { return static_cast<std::int32_t>(random_() % most); }
    std::vector<std::int32_t> clocks() {
        std::vector<std::int32_t> clocks{below(3) - 1};
        if (below(3) == 0) {
            clocks.push_back(clocks[0] + 1 + below(2));
        }
        return clocks;
    }
    template <class Call>
    std::vector<Call> some_of(const std::vector<Call>& calls) {
        std::vector<Call> some;
        for (std::int32_t i = below(3); i > 0; --i) {
            some.push_back(
                calls[static_cast<std::size_t>(below(static_cast<unsigned>(calls.size())))]);
        }
        return some;
    }
    // Half of them.
    template <class Options>
    void draw_repairs(Options& options, const std::vector<unsigned>& repairs) {
        for (const unsigned repair : repairs) {
            options.repairs |= static_cast<decltype(options.repairs)>(below(2) == 0 ? repair : 0U);
        }
    }

  private:
    std::mt19937 random_;
};

// A database refuses a ttl below 5,000: one of these units is as much.
template <class Options>
void of_a_database(Options& options) {
    options.time_unit = LeaseDb::kTtlLeast;
}

ScopeOf<LeaseDb> random_db(std::uint32_t seed) {
    Dice dice(seed);
    const auto clocks = dice.clocks();
    auto scope = scope_with_clocks<LeaseDb>(
        clocks,
        dice.some_of<LeaseDbCall>({LeaseDbCall::kWrite, LeaseDbCall::kWrite, LeaseDbCall::kHang}));
    leases::LeaseDbOptions& options = scope.options;
    of_a_database(options);
    options.ttl = 4 + dice.below(3);
    options.grace = dice.below(4);
    options.pause = dice.below(3) == 0 ? dice.below(3) : 0;
    options.delay = dice.below(4) == 0 ? 1 : 0;
    options.reaper = dice.below(3);
    options.singleton = dice.below(8) == 0;
    options.reaped_by_task = dice.below(8) == 0;
    dice.draw_repairs(options,
                      {leases::kDbOwnDeadline, leases::kDbCleanUp, leases::kDbGrowingTokens,
                       leases::kDbGuardedWrites, leases::kDbTombstones, leases::kDbAppliedOnce});
    if ((options.repairs & leases::kDbGuardedWrites) != 0 && dice.below(2) == 0) {
        options.repairs |= leases::kDbFencing;
    }
    options.until = 2 * options.ttl + options.reaper + 6;
    scope.world.crashes_max = dice.below(2) == 0 ? 1 : 0;
    return scope;
}

ScopeOf<LeaseService> random_service(std::uint32_t seed) {
    Dice dice(seed);
    const auto clocks = dice.clocks();
    auto scope = scope_with_clocks<LeaseService>(
        clocks, dice.some_of<LeaseServiceCall>(
                    {LeaseServiceCall::kWrite, LeaseServiceCall::kRenew, LeaseServiceCall::kHang}));
    leases::LeaseServiceOptions& options = scope.options;
    options.ttl = 4 + dice.below(3);
    options.grace = dice.below(4);
    options.pause = dice.below(3) == 0 ? dice.below(3) : 0;
    options.delay = dice.below(4) == 0 ? 1 : 0;
    options.reaper = 0;
    options.heartbeats = dice.below(4) != 0;
    dice.draw_repairs(options,
                      {leases::kSvOwnDeadline, leases::kSvKeepsEntries, leases::kSvCheckedRelease,
                       leases::kSvGuardedWrites, leases::kSvKeepsStream});
    if ((options.repairs & leases::kSvGuardedWrites) != 0 && dice.below(2) == 0) {
        options.repairs |= leases::kSvFencing;
    }
    options.until = 2 * options.ttl + 6;
    scope.world.crashes_max = dice.below(2) == 0 ? 1 : 0;
    return scope;
}

// Holders act up to `pause` late: from half of the ttl on, a lease may end before it is renewed.
template <class Lease>
ScopeOf<Lease> with_grace(std::int32_t pause, std::int32_t grace) {
    ScopeOf<Lease> scope = scope_with_clocks<Lease>({0}, std::vector<LeaseDbCall>());
    scope.options.ttl = 8;
    scope.options.pause = pause;
    scope.options.grace = grace;
    scope.options.reaper = 1;
    scope.options.until = 24;
    if constexpr (std::is_same_v<Lease, LeaseDb>) {
        of_a_database(scope.options);
        scope.options.repairs = leases::kDbOwnDeadline | leases::kDbCleanUp;
    } else {
        scope.options.repairs = leases::kSvOwnDeadline | leases::kSvKeepsEntries;
    }
    scope.world.crashes_max = 1;
    return scope;
}

template <class Lease>
proofs::Decision decided(const ScopeOf<Lease>& scope, const std::vector<const Property*>& check) {
    const proofs::ReplicatedWorld apart = taken_apart(scope);
    const auto explore = [&](const std::vector<std::size_t>& counts) {
        const ScopeOf<Lease> many = with_callers(scope, counts);
        ExploreOptions options;
        options.check = check;
        options.counting = Counting::kOff;
        options.reduction = Reduction::kRelativeTime;
        options.stop_at_first = true;
        const ExploreResult result = explore_all(Lease(many.options), many.world, options);
        return result.violations.empty() ? proofs::Scope::kPassed : proofs::Scope::kViolated;
    };
    return proofs::decide(
        {scope.world.callers.size(), explore,
         [&] { return proofs::prove(apart, {.check = check}); },
         [&](const proofs::Certificate& proof) { return proofs::why_refused(proof, apart); }, 3,
         2});
}

template <class Lease>
class EachOtherLeaseProofTest : public ::testing::Test {};
using Systems = ::testing::Types<LeaseDb, LeaseService>;
TYPED_TEST_SUITE(EachOtherLeaseProofTest, Systems);

TYPED_TEST(EachOtherLeaseProofTest, AGraceOfThePauseIsEnoughForEveryNumberAndOneLessIsNotForTwo) {
    // An entry of the service is free at its last instant.
    constexpr std::int32_t kPause = 6;
    constexpr std::int32_t kGrace = kPause + (std::is_same_v<TypeParam, LeaseService> ? 1 : 0);
    const auto safe = decided(with_grace<TypeParam>(kPause, kGrace), checked_of<TypeParam>());
    EXPECT_TRUE(safe.proved) << safe.undecided;
    const auto unsafe = decided(with_grace<TypeParam>(kPause, kGrace - 1), only("belief-overlap"));
    EXPECT_EQ(unsafe.violated, std::vector<std::size_t>{2}) << unsafe.undecided;
}

TEST(OtherLeasesProofTest, AProofByASearchThatJudgesNothingIsRefused) {
    const proofs::ReplicatedWorld apart = taken_apart(with_grace<LeaseDb>(6, 0));
    const auto made = proofs::prove(apart, {.check = only("belief-overlap"),
                                            .ways = {proofs::Way::kCountsAtOnce},
                                            .bug = proofs::SearchBug::kJudgesNothing});
    ASSERT_TRUE(made.certificate) << made.why_not;
    EXPECT_NE(proofs::why_refused(*made.certificate, apart), "");
}

TEST(OtherLeasesProofTest, WhatIsNotProvedSaysWhy) {
    const auto why = [](auto scope, auto change) {
        change(scope);
        using Lease = typename decltype(scope)::System;
        return leases::LeaseByRecord<Lease>::why_not(scope.options, scope.world);
    };
    const auto db = with_grace<LeaseDb>(0, 0);
    const auto service = with_grace<LeaseService>(0, 0);
    const auto call = [](LeaseDbCall word) {
        return Operation{.verb = Verb::kCall, .word = static_cast<std::uint8_t>(word)};
    };
    EXPECT_EQ(why(db, [](auto&) {}), "");
    EXPECT_NE(why(db, [](auto& scope) { scope.options.calls = true; }), "");
    EXPECT_NE(why(db, [](auto& scope) { scope.options.faults.row_locks = 1; }), "");
    EXPECT_NE(why(db, [](auto& scope) { scope.options.repairs |= leases::kDbFencing; }), "");
    for (const LeaseDbCall word :
         {LeaseDbCall::kDeleteRow, LeaseDbCall::kReapRows, LeaseDbCall::kComplete}) {
        EXPECT_NE(
            why(db, [&](auto& scope) { scope.world.callers[0].script.push_back(call(word)); }), "");
    }
    EXPECT_EQ(why(service, [](auto&) {}), "");
    EXPECT_NE(why(service, [](auto& scope) { scope.options.faults.resets = 1; }), "");
    EXPECT_NE(why(service, [](auto& scope) { scope.options.keys.push_back("other"); }), "");
    EXPECT_NE(why(service, [](auto& scope) { scope.options.repairs |= leases::kSvFencing; }), "");
}

// Where the build is slow three, of which two are proved.
constexpr std::uint32_t kFirst = testing_model::kIsSlowBuild ? 5 : 1;
constexpr std::uint32_t kCount = testing_model::kIsSlowBuild ? 3 : 12;

TEST(OtherLeasesProofTest, RandomDatabasesAreExploredAlikeAndNoProofIsContradicted) {
    compare_leases(random_db, kFirst, kCount, 2);
}
TEST(OtherLeasesProofTest, RandomServicesAreExploredAlikeAndNoProofIsContradicted) {
    compare_leases(random_service, kFirst, kCount, 2);
}

// With the label `long`, as every_number_other_leases_long (cmake/LockkeeperTests.cmake).
TEST(OtherLeasesProofTest, DISABLED_LongRandomLeasesAreExploredAlikeAndNoProofIsContradicted) {
    const auto seeds = testing_model::seeds_of_long_run({2'000'000, 1'000});
    compare_leases(random_db, seeds.first, seeds.count, 3);
    compare_leases(random_service, seeds.first, seeds.count, 3);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs::other_leases
