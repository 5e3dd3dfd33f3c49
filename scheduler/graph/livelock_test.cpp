// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "scheduler/graph/part_graph.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Property* const kJudged = find_property("livelock");

ExploreResult livelock_searched(const Runner& system, bool symmetry = false) {
    ExploreOptions options;
    options.check = {kJudged};
    options.symmetry = symmetry;
    return system.explore(options);
}

// Walks the lasso once more: its end must be the state in which its cycle began, and every party
// that can step in all states of the cycle must step in it.
void expect_cycle(const Runner& system, const ExploreResult& result) {
    ASSERT_EQ(result.violations.size(), 1U);
    const FoundViolation& found = result.violations.front();
    EXPECT_EQ(found.property, kJudged);
    ASSERT_LT(found.cycle_start, found.schedule.actions.size());
    ReplayOptions options;
    options.check = {kJudged};
    options.cycle_start = found.cycle_start;
    const Trace trace = system.replay(found.schedule, options);
    EXPECT_THAT(trace.divergences, IsEmpty());
    EXPECT_TRUE(trace.cycle_closes);
    EXPECT_THAT(trace.violated, ElementsAre(kJudged));
    const auto& violated = std::get<Violated>(result.verdict);
    EXPECT_EQ(violated.property, "livelock");
    EXPECT_EQ(violated.cycle_start, found.cycle_start);
}

void expect_none(const Runner& system) {
    for (const bool symmetry : {false, true}) {
        const ExploreResult result = livelock_searched(system, symmetry);
        EXPECT_TRUE(result.complete);
        EXPECT_THAT(result.violations, IsEmpty());
        EXPECT_TRUE(std::holds_alternative<Passed>(result.verdict));
    }
}

constexpr std::uint32_t kA = 1U;
constexpr std::uint32_t kB = 2U;

// A is called in 0 -> 1. In 1 and 2 the two undo each other's work: A could only get out of 2, by
// a step of its own, which it can miss for ever without being kept from steps.
GraphSystem two_undo_each_other() {
    GraphSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(0), 2, 0}};
    system.nodes[2].calling = kA;
    system.nodes[2].edges = {{step_of(0), 3, kAcquired}, {step_of(1), 1, 0}};
    system.nodes[3].finished = true;
    return system;
}

TEST(Livelock, AFairCycleInsideACallIsFound) {
    const auto system = runner(two_undo_each_other());
    const ExploreResult result = livelock_searched(*system);
    EXPECT_EQ(result.acyclic, std::optional(false));
    expect_cycle(*system, result);
    const FoundViolation& found = result.violations.front();
    const std::vector<Action> moves(
        found.schedule.actions.begin() + static_cast<std::ptrdiff_t>(found.cycle_start),
        found.schedule.actions.end());
    EXPECT_THAT(moves, Each(AnyOf(step_of(0), step_of(1))));
    EXPECT_THAT(moves, Contains(step_of(0)));
    EXPECT_THAT(moves, Contains(step_of(1)));
}

// B turns round for ever in 1; A could return at any time and is not let: nobody's fault but the
// scheduler's.
TEST(Livelock, ACycleThatKeepsSomebodyFromItsStepIsNone) {
    for (const std::uint32_t calling : {kA, kA | kB}) {
        GraphSystem system;
        system.nodes.resize(3);
        system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
        system.nodes[1].calling = calling;
        system.nodes[1].edges = {{step_of(0), 2, kAcquired}, {step_of(1), 1, 0}};
        system.nodes[2].finished = true;
        expect_none(*runner(system));
    }
}

TEST(Livelock, ACycleThatOnlyAFaultLeavesIsFound) {
    GraphSystem system;
    system.nodes.resize(3);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(0), 1, 0}, {{0, ActionKind::kCrash, 0}, 2, kCrashed}};
    system.nodes[2].finished = true;
    const auto found = runner(system);
    expect_cycle(*found, livelock_searched(*found));
}

TEST(Livelock, ACycleInWhichTheBackgroundIsKeptFromItsStepIsNone) {
    GraphSystem system;
    system.nodes.resize(3);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(0), 1, 0}, {{0, ActionKind::kBackground, 0}, 2, 0}};
    system.nodes[2].calling = kA;
    system.nodes[2].edges = {{step_of(0), 0, kReleased}};
    expect_none(*runner(system));
}

Action background_of(std::uint8_t actor) { return {actor, ActionKind::kBackground, 0}; }

// A waits for its reply, B sends one message after the other. A's message has arrived: as A and B
// stand in one mailbox, it is handled some time, whatever else the receiver has to do.
TEST(Livelock, ACycleInWhichOneSendersMessageIsPassedOverForEverIsNone) {
    GraphSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(1), 2, 0}, {background_of(0), 3, 0}};
    system.nodes[2].calling = kA;
    system.nodes[2].edges = {{background_of(1), 1, 0}, {background_of(0), 3, 0}};
    system.nodes[3].calling = kA;
    system.nodes[3].edges = {{step_of(0), 0, kReleased}};
    expect_none(*runner(system));
}

// The same, but A's message is not there while B's is handled: a message that is sent anew each
// time may come too late each time.
TEST(Livelock, ACycleInWhichAMessageIsPossibleOnlyNowAndThenIsFound) {
    GraphSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(1), 2, 0}, {background_of(0), 3, 0}};
    system.nodes[2].calling = kA;
    system.nodes[2].edges = {{background_of(1), 1, 0}};
    system.nodes[3].calling = kA;
    system.nodes[3].edges = {{step_of(0), 0, kReleased}};
    const auto found = runner(system);
    expect_cycle(*found, livelock_searched(*found));
}

TEST(Livelock, BackgroundOfEveryActorIsAPartyBesideCallersAndTime) {
    PartySet seen = kTimeBit;
    for (std::size_t i = 0; i < kCallersOfALasso; ++i) {
        EXPECT_EQ(seen & (bit_of_caller(i) | bit_of_background(i)), 0U) << i;
        seen |= bit_of_caller(i) | bit_of_background(i);
    }
    EXPECT_EQ(seen & bit_of_background(kCallersOfALasso), 0U);
    EXPECT_EQ(bit_of_background(kCallersOfALasso), bit_of_background(255)) << "the last together";
}

TEST(Livelock, ACycleInWhichTheCallReturnsEachTimeIsNone) {
    GraphSystem system;
    system.nodes.resize(2);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(0), 0, kReleased}};
    expect_none(*runner(system));

    // Also where the next call begins with the very step that ends the one before.
    for (const std::uint32_t returns : {kAcquired, kReleased}) {
        system.nodes[0].calling = kA;
        system.nodes[0].edges = {{step_of(0), 1, 0}};
        system.nodes[1].edges = {{step_of(0), 0, returns}};
        expect_none(*runner(system));
    }
}

// A retried acquire that is refused stays inside its call; with the capacity held by others the
// refusals are what was asked for.
TEST(Livelock, ARetriedAcquireCountsOnlyWhileItsCapacityIsFree) {
    GraphSystem system;
    system.nodes.resize(2);
    system.nodes[0].edges = {{step_of(0), 1, kInvoked | kRefused}};
    system.nodes[1].calling = kA;
    system.nodes[1].edges = {{step_of(0), 1, kInvoked | kRefused}};
    const auto free = runner(system);
    expect_cycle(*free, livelock_searched(*free));
    system.nodes[1].believed = 1;
    expect_none(*runner(system));
    system.capacity = 2;
    const auto one_left = runner(system);
    expect_cycle(*one_left, livelock_searched(*one_left));
}

// A is refused while nobody holds, but B takes the lock and gives it back in the same cycle: it is
// in use, and A comes too late each time. What A asks for in another try is held by nobody.
TEST(Livelock, ARetriedAcquireWhoseCapacityIsHeldNowAndThenIsStarvedNotLivelocked) {
    GraphSystem system;
    system.nodes.resize(2);
    system.nodes[0].calling = kA;
    system.nodes[0].edges = {{step_of(0), 0, kRefused, 1}, {step_of(1), 1, 0}};
    system.nodes[1].calling = kA;
    system.nodes[1].believed = 1;
    system.nodes[1].edges = {{step_of(0), 1, kRefused, 1}, {step_of(1), 0, 0}};
    expect_none(*runner(system));
    system.nodes[1].edges[0].capacity = 2;
    const auto two_views = runner(system);
    expect_cycle(*two_views, livelock_searched(*two_views));
}

// A gives back and finds the mark of B's refused attempt, subtracts it, B puts it there again ...
CanalScope release_against_retry(std::optional<std::uint8_t> tries, bool has_manager) {
    CanalScope scope = warm(once_each({1}, 1, tries), 1);
    scope.world = world_of({{acquire(1, 1), release(1, 1)}, {insist(1, 1)}});
    scope.options.has_manager = has_manager;
    return scope;
}

TEST(Livelock, UnlimitedDecrementsOfAReleaseAndARetryingAcquireGoOnForEver) {
    for (const bool has_manager : {false, true}) {
        const auto system = runner(release_against_retry(std::nullopt, has_manager));
        for (const bool symmetry : {false, true}) {
            expect_cycle(*system, livelock_searched(*system, symmetry));
        }
    }
}

TEST(Livelock, TwoTriesEndTheSameScope) {
    for (const bool has_manager : {false, true}) {
        expect_none(*runner(release_against_retry(2, has_manager)));
    }
}

// A refused attempt of the repaired lock sends the manager two messages, and retries: the DOWN of
// whoever died while it held stands in the same mailbox.
TEST(Livelock, NobodysRetriesKeepTheManagerFromADeath) {
    CanalScope scope = warm(once_each({1, 1}, 1, 15), 1);
    scope.world = world_of({{insist(1, 1), release(1, 1)}, {insist(1, 1), release(1, 1)}});
    scope.options.repairs = canal::kAllRepairs;
    expect_none(*runner(with_crashes(scope, 1)));
}

TEST(Livelock, FingerprintsCannotDecideIt) {
    ExploreOptions options;
    options.check = {kJudged};
    options.storage = Storage::kFingerprints;
    const ExploreResult result = runner(release_against_retry(2, false))->explore(options);
    EXPECT_FALSE(result.complete);
    ASSERT_TRUE(std::holds_alternative<Inconclusive>(result.verdict));
    EXPECT_EQ(result.limit, "livelock needs --storage exact");
}

single_counter::Options counter_at(std::int32_t initial) {
    single_counter::Options options;
    options.initial = {initial};
    options.capacities = {3, 6};
    return options;
}

// The seeds' "perpetual livelock": all locks are seen as used, but none are in use. A attempt that
// sees 3 while 3 are held leaves 4; the release of one that sees 6 does not know that mark, so one
// unit stays counted. Two such corruptions have happened; the third one is found here.
TEST(Livelock, ASingleCounterStuckAtItsLimitRefusesEverybodyForEver) {
    const WorldConfig world = world_of({{acquire(3, 2), release(3, 2)},
                                        {insist(3, 1), release(3, 1)},
                                        {insist(3, 1), release(3, 1)}});
    const auto system = runner(counter_at(2), world);
    const ExploreResult result = livelock_searched(*system);
    expect_cycle(*system, result);
    ASSERT_FALSE(result.violations.empty());
    const FoundViolation& found = result.violations.front();
    ReplayOptions options;
    options.cycle_start = found.cycle_start;
    const Trace trace = system->replay(found.schedule, options);
    // Nobody holds in the whole cycle, the counter is at the mark, and every attempt is refused.
    for (std::size_t i = trace.cycle_start; i < trace.steps.size(); ++i) {
        EXPECT_EQ(trace.steps[i].state, "db 4  nobody holds");
        EXPECT_TRUE(trace.steps[i].event.is(kRefused));
    }
    EXPECT_EQ(trace.counters, (std::vector<std::vector<std::int32_t>>{{4}}));
}

// The timeline of the seeds (A, B, E see 3; C, D see 6) three times over, from nothing.
TEST(Livelock, ThreeRoundsOfTheSeedsTimelineGetACounterStuckFromNothing) {
    if (kIsSlowBuild) {
        GTEST_SKIP() << "too slow in this build";
    }
    const Operation took = acquire(3, 2);
    const Operation gave = release(3, 2);
    const WorldConfig world = world_of({{acquire(3, 1), release(3, 1)},
                                        {acquire(3, 1), release(3, 1)},
                                        {took, gave, took, gave, took, gave},
                                        {took, gave, took, gave, took, gave},
                                        {acquire(3, 1), acquire(3, 1), insist(3, 1)}});
    const auto system = runner(counter_at(0), world);
    expect_cycle(*system, livelock_searched(*system));
}

TEST(Livelock, CallersThatAgreeOnTheLimitGetNoCounterStuck) {
    expect_none(*runner(counter_at(2),
                        world_of({{acquire(3, 1), release(3, 1)}, {insist(3, 1), release(3, 1)}})));
}

}  // namespace
}  // namespace lockkeeper
