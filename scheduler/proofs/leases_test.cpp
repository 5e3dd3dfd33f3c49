// SPDX-License-Identifier: Apache-2.0

// The lease coordinator with any number of callers: what is proved of it by record is what the
// LeaseCoordinator itself shows, with one, two and three callers.
#include "scheduler/proofs/leases_test.hpp"

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "scheduler/proofs/known_locks_test.hpp"
#include "scheduler/proofs/proof_scopes_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using leases::CoordinatorByRecord;
using leases::LeaseCoordinator;
using leases::LeaseCoordinatorCall;

const std::vector<const Property*>& checked() {
    static const std::vector<const Property*> kAll = provable(CoordinatorByRecord::kFeatures);
    return kAll;
}

proofs::ReplicatedWorld taken_apart(const LeaseScope& scope) {
    const auto part = [&](const WorldConfig& config) {
        LeaseScope some{scope.options, CoordinatorByRecord::with_kinds(config)};
        some.options.clients.clear();
        for (const CallerConfig& caller : config.callers) {
            const std::size_t kind =
                std::min<std::size_t>(caller.group, scope.world.callers.size() - 1);
            some.options.clients.push_back(scope.options.clients[kind]);
        }
        return ErasedSystem(
            World<CoordinatorByRecord>(CoordinatorByRecord(some.options, some.world), some.world));
    };
    proofs::ReplicatedWorld apart(part(proofs::world_to_take_apart(scope.world)),
                                  part(proofs::one_of_each(scope.world)),
                                  part(proofs::one_is_absent(scope.world)));
    apart.shows_only(CoordinatorByRecord::kFeatures);
    return apart;
}

// The LeaseCoordinator where time stops at every instant, not only where something changes: a
// timer that begins in between ends at other instants.
struct StopsEverywhere : LeaseCoordinator {
    using LeaseCoordinator::LeaseCoordinator;
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        Agenda agenda(shared.now);
        collect(shared, records, agenda, out);
        agenda.next.at(shared.now + 1);
        agenda.offer(out, end_of_time(shared));
    }
};

// The result: the names of all properties that are violated.
struct Found {
    std::set<std::string> violated;
    bool complete = false;
};
template <class Lock>
ExploreResult explore_all(const Lock& lock, const WorldConfig& world,
                          const ExploreOptions& options) {
    return make_erased_runner(ErasedSystem(World<Lock>(lock, world)), MakeWalker(), world,
                              Lock::kFeatures)
        ->explore(options);
}
template <class Lock>
Found explored(const Lock& lock, const WorldConfig& world, Reduction reduction) {
    ExploreOptions options;
    options.check = checked();
    options.counting = Counting::kOff;
    options.reduction = reduction;
    options.states_max = 20'000;
    const ExploreResult result = explore_all(lock, world, options);
    Found found;
    for (const auto& violation : result.violations) {
        found.violated.emplace(violation.property->name);
    }
    found.complete = result.complete;
    return found;
}

std::vector<std::vector<std::size_t>> counts_up_to(std::size_t kinds, std::size_t most) {
    if (kinds == 1) {
        return most < 3 ? std::vector<std::vector<std::size_t>>{{1}, {2}}
                        : std::vector<std::vector<std::size_t>>{{1}, {2}, {3}};
    }
    return most < 3 ? std::vector<std::vector<std::size_t>>{{1, 1}}
                    : std::vector<std::vector<std::size_t>>{{1, 1}, {1, 2}, {2, 1}};
}

struct LeaseTally {
    int proved = 0;
    int undecided = 0;
    int compared = 0;
    int as_shipped = 0;  // where time stops only where something changes, too
    int too_large = 0;
    std::map<std::size_t, int> least;
};

std::string names_of(const std::set<std::string>& all) {
    std::string text;
    for (const std::string& name : all) {
        text += " " + name;
    }
    return text;
}

// "": what is explored of both is the same, and what is proved is not contradicted.
std::string compare_scope(std::uint32_t seed, std::size_t callers, LeaseTally& tally) {
    const LeaseScope scope = random_leases(seed);
    std::size_t least = 0;
    for (const auto& counts : counts_up_to(scope.world.callers.size(), callers)) {
        const LeaseScope many = with_callers(scope, counts);
        const Found shipped = explored(LeaseCoordinator(many.options), many.world,
                                       Reduction::kFaultsLeftAndRelativeTime);
        const Found everywhere = explored(StopsEverywhere(many.options), many.world,
                                          Reduction::kFaultsLeftAndRelativeTime);
        const WorldConfig kinds = CoordinatorByRecord::with_kinds(many.world);
        const Found by_record =
            explored(CoordinatorByRecord(many.options, kinds), kinds, Reduction::kNone);
        const std::size_t sum = counts[0] + (counts.size() > 1 ? counts[1] : 0);
        const bool is_among = std::includes(by_record.violated.begin(), by_record.violated.end(),
                                            shipped.violated.begin(), shipped.violated.end());
        if (!shipped.complete || !everywhere.complete || !by_record.complete) {
            ++tally.too_large;
        } else if (everywhere.violated != by_record.violated || !is_among) {
            return std::to_string(sum) + " callers, shipped:" + names_of(shipped.violated) +
                   "; where time stops everywhere:" + names_of(everywhere.violated) +
                   "; by record:" + names_of(by_record.violated);
        } else {
            ++tally.compared;
            tally.as_shipped += shipped.violated == by_record.violated ? 1 : 0;
        }
        least = least == 0 && !everywhere.violated.empty() ? sum : least;
    }
    ++tally.least[least];
    const proofs::ReplicatedWorld apart = taken_apart(scope);
    const proofs::ProofAttempt made =
        proofs::prove(apart, {.check = checked(), .markings_max = 20'000, .seconds_max = 20});
    if (!made.certificate) {
        tally.undecided += least == 0 ? 1 : 0;
        if (least == 0) {
            std::cout << "seed " << seed << ": " << made.why_not << "\n";
        }
        return "";
    }
    ++tally.proved;
    if (const std::string why = proofs::why_refused(*made.certificate, apart); !why.empty()) {
        return "its certificate is refused: " + why;
    }
    return least == 0 ? "" : "proved, and violated by " + std::to_string(least);
}

void compare_leases(std::uint32_t first, std::uint32_t count, std::size_t callers) {
    LeaseTally tally;
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        ASSERT_EQ(compare_scope(seed, callers, tally), "") << "seed " << seed;
    }
    std::cout << tally.proved << " proved, " << tally.undecided << " undecided; " << tally.compared
              << " explored alike, " << tally.as_shipped << " of them as shipped, "
              << tally.too_large << " too large; least:";
    for (const auto& [least, times] : tally.least) {
        std::cout << " " << least << ": " << times;
    }
    std::cout << "\n";
    EXPECT_GT(tally.proved, 0);
}

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

// Numbers of acquisitions do not grow: who had the row that is gone has not the one after it.
TEST(LeaseCoordinatorProofTest, WhoseRowWasReapedHasNotTheRowOfTheNext) {
    const LeaseScope two = with_callers(late_holders(6, 0, 5, 0), {2});
    const WorldConfig config = CoordinatorByRecord::with_kinds(two.world);
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
        EXPECT_EQ(made.sizes.markings, module ? 484 : 220);
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
    compare_leases(1, testing_model::kIsSlowBuild ? 5 : 25, 2);
}

// With the label `long`, as every_number_leases_long (cmake/LockkeeperTests.cmake).
TEST(LeaseCoordinatorProofTest, DISABLED_LongRandomLeasesAreExploredAlikeAndNoProofIsContradicted) {
    const char* const asked = std::getenv("LOCKKEEPER_SCOPES");
    compare_leases(1'000'000,
                   asked == nullptr ? 5'000 : static_cast<std::uint32_t>(std::atoi(asked)), 3);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
