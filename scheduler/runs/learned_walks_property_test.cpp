// SPDX-License-Identifier: Apache-2.0

// Walks of learned steps are the walks that take every step: whatever the law, wherever they stop.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"
#include "scheduler/runs/learned_walks.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

int scopes_of_walks() { return kIsSlowBuild ? 1 : testing_model::is_short_run() ? 3 : 8; }
constexpr std::uint64_t kSeedsOfWalks = kIsSlowBuild ? 10 : 40;
constexpr std::uint64_t kStepsOfWalk = 200;

Law random_law() {
    Law law;
    law.kind = *rc::gen::element(LawKind::kUniform, LawKind::kUniform, LawKind::kWeights);
    for (double& weight : law.weights) {
        weight = *rc::gen::element(0.0, 0.5, 1.0, 1.0, 3.0);
    }
    return law;
}

std::vector<std::byte> saved(const Walker& walker) {
    std::vector<std::byte> bytes(walker.state_bytes());
    walker.save(bytes.data());
    return bytes;
}

// Where the next part of a walk ends.
void ask(Walk& walk) {
    walk.triggers =
        *rc::gen::element<std::uint32_t>(0, 0, kGranted, kRefused | kReleased, kCrashed, ~0U);
    walk.stops_at_rest = *rc::gen::arbitrary<bool>();
    walk.steps_end = walk.steps + *rc::gen::inRange<std::uint64_t>(1, 40);
}

void expect_the_same(Walk learned, Walk taken) {
    RC_ASSERT(learned.steps == taken.steps);
    RC_ASSERT(learned.grants == taken.grants);
    RC_ASSERT(learned.random.below(1U << 30U) == taken.random.below(1U << 30U));
    RC_ASSERT(learned.event.what == taken.event.what);
    RC_ASSERT(learned.event.caller == taken.event.caller);
    RC_ASSERT(learned.event.place == taken.event.place);
    RC_ASSERT(learned.event.value == taken.event.value);
    RC_ASSERT(learned.event.holding_before == taken.event.holding_before);
}

// In parts; sometimes a part is walked twice from a saved state. What was learned in one walk is
// used in the next.
std::uint64_t expect_the_same_walks(const CanalScope& scope, const Law& law) {
    const TinyWorld world = tiny(scope);
    const auto taken = walkers_of(world)(law);
    const auto learned = learned_walkers_of(world)(law);
    std::uint64_t steps = 0;
    for (std::uint64_t seed = 1; seed <= kSeedsOfWalks; ++seed) {
        Walk expected;
        expected.random = Random(seed);
        Walk walk = expected;
        taken->begin();
        learned->begin();
        for (bool goes_on = true; goes_on && walk.steps < kStepsOfWalk;) {
            ask(walk);
            expected.triggers = walk.triggers;
            expected.stops_at_rest = walk.stops_at_rest;
            expected.steps_end = walk.steps_end;
            const WalkStop stop = taken->walk(expected);
            const std::vector<std::byte> before = saved(*learned);
            const Walk from = walk;
            RC_ASSERT(learned->walk(walk) == stop);
            expect_the_same(walk, expected);
            RC_ASSERT(saved(*learned) == saved(*taken));
            RC_ASSERT(learned->quiescent() == taken->quiescent());
            if (*rc::gen::inRange(0, 8) == 0) {  // both: what is possible is listed anew
                taken->load(before.data());
                learned->load(before.data());
                expected = from;
                walk = from;
                RC_ASSERT(learned->walk(walk) == taken->walk(expected));
                expect_the_same(walk, expected);
                RC_ASSERT(saved(*learned) == saved(*taken));
            }
            goes_on = stop != WalkStop::kFinished && stop != WalkStop::kDeadlock;
        }
        steps += walk.steps;
    }
    return steps;
}

RC_GTEST_PROP(LearnedWalks, AreTheWalksThatTakeEveryStep, ()) {
    for (int i = 0; i < scopes_of_walks(); ++i) {
        const bool cyclic = *rc::gen::arbitrary<bool>();
        CanalScope scope = random_scope({4, 4, cyclic, false, false});
        const bool repeats = *rc::gen::arbitrary<bool>();
        for (CallerConfig& caller : scope.world.callers) {
            caller.repeats_forever = repeats;  // those of a group are alike
        }
        try {
            expect_the_same_walks(scope, random_law());
        } catch (const LimitExceeded&) {  // of a script that repeats: in both
            RC_DISCARD("does not fit the tiny size");
        }
    }
}

TEST(LearnedWalks, GoOnByTakingStepsWhereTheModelMeetsALimitOfItsSize) {
    // A counter of the tiny size ends at 127: a step that would be one too many cannot be learned,
    // whether it is taken or not.
    const CanalScope scope =
        warm(CanalScope{{}, world_of({std::vector<Operation>(130, acquire(200, 1))})}, 1);
    const auto walker = learned_walkers_of(tiny(scope))(Law{});
    walker->begin();
    Walk walk;
    walk.steps_end = 1000;
    EXPECT_THROW(walker->walk(walk), LimitExceeded);
    EXPECT_GT(walk.steps, 127U);
}

}  // namespace
}  // namespace lockkeeper
