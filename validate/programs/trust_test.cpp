// SPDX-License-Identifier: Apache-2.0

// No ordinary way of using the stepped level ends in a pass that means nothing: locks with a time
// limit, answers that are all the same, programs that are not deterministic.
#include "model/slow_build_test.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

Operation call(std::uint8_t word) {
    Operation out = operation(Verb::kCall);
    out.word = word;
    return out;
}

std::string leased(const std::string& mode) { return other_child("leased.py " + mode); }

// Each acquires and releases; the first does it twice.
OutsideWorld takeover(std::int64_t ticks) {
    OutsideWorld world = pairs(2, 1);
    auto& script = world.world.callers[0].script;
    script.insert(script.end(), script.begin(), script.begin() + 2);
    world.ticks_max = ticks;
    world.parameters = {{"ttl", 2}};
    return world;
}

OutsideWorld renewal(std::int64_t ticks) {
    OutsideWorld world = pairs(2, 1);
    world.world.words = {"renew"};
    auto& script = world.world.callers[0].script;
    script.insert(script.begin() + 1, call(0));
    world.ticks_max = ticks;
    world.parameters = {{"ttl", 2}};
    return world;
}

std::string missing_in(const Searched& searched) {
    return searched.result.tally.what_is_missing(searched.world);
}

bool contains(const std::string& text, const std::string& piece) {
    return text.find(piece) != std::string::npos;
}

TEST(Trust, ALateReleaseIsCalledAndFindsThePlainDelete) {
    NEEDS_TOOL("python3");
    EXPECT_EQ("false-ok", Searched(leased("plain-delete"), takeover(3)).found());
    EXPECT_EQ("belief-overlap",
              Searched(leased("plain-delete"), checks(takeover(3), "belief-overlap")).found());
}

TEST(Trust, ALateRenewalIsCalledAndFindsTheOneThatAsksNobody) {
    NEEDS_TOOL("python3");
    EXPECT_EQ("belief-overlap", Searched(leased("renew-anybody"), renewal(3)).found());
}

TEST(Trust, ALockThatComparesTheOwnerPasses) {
    NEEDS_TOOL("python3");
    OutsideWorld once = pairs(2, 1);
    once.ticks_max = 2;
    for (const OutsideWorld& world : {once, renewal(2)}) {
        const Searched searched(example("python3", "set_nx_px.py"), world);
        EXPECT_EQ("nothing", searched.found());
        EXPECT_TRUE(searched.result.complete);
        EXPECT_EQ("", missing_in(searched));
    }
}

OutsideWorld two_and_a_crash() {
    OutsideWorld world = pairs(2, 1);
    world.world.crashes_max = 1;
    world.ticks_max = 2;
    return world;
}

// The script says: only who still believes to hold.
TEST(Trust, TheShippedLocksAreFoundWrongInBothLanguages) {
    NEEDS_TOOL("python3");
    NEEDS_TOOL("node");
    const OutsideWorld crash = two_and_a_crash();
    for (const auto& [tool, file] :
         {std::pair{"python3", "set_nx_px.py"}, {"node", "set_nx_px.js"}}) {
        const auto found = [&, tool = tool, file = file](const char* flag,
                                                         const OutsideWorld& world) {
            return Searched(example(tool, std::string(file) + flag), world).found();
        };
        EXPECT_EQ("false-ok", found(" --plain-delete", takeover(3)));
        EXPECT_EQ("belief-overlap", found(" --renew-anybody", renewal(3)));
        EXPECT_EQ("belief-overlap", found(" --late-clock", takeover(3)));
        EXPECT_EQ("leak", found(" --two-steps", crash));
    }
}

TEST(Trust, TheShippedLocksAreRightInBothLanguages) {
    NEEDS_TOOL("python3");
    NEEDS_TOOL("node");
    const OutsideWorld crash = two_and_a_crash();
    // Three ticks take ten times as many runs as two.
    const int ticks = testing_model::is_short_run() ? 2 : 3;
    for (const std::string& command :
         {example("python3", "set_nx_px.py"), example("node", "set_nx_px.js")}) {
        for (const OutsideWorld& world : {takeover(ticks), renewal(ticks), crash}) {
            const Searched searched(command, or_less(world));
            EXPECT_EQ("nothing", searched.found());
            EXPECT_TRUE(searched.result.complete);
        }
    }
}

TEST(Trust, AReleaseUnderAConditionIsLeftOutAndCounted) {
    NEEDS_TOOL("python3");
    OutsideWorld world = takeover(testing_model::is_short_run() ? 2 : 3);
    for (CallerConfig& caller : world.world.callers) {
        Operation condition = operation(Verb::kIfHolding);
        condition.governs = 1;
        auto& script = caller.script;
        script = {operation(Verb::kAcquire), operation(Verb::kSleep), condition,
                  operation(Verb::kRelease)};
        script[1].number = 2;
    }
    const Searched searched(leased("plain-delete"), world);
    EXPECT_EQ("nothing", searched.found());
    EXPECT_LT(0U, searched.result.tally.passed_over.at("the time of the lock was over"));
}

TEST(Trust, WhatIsLeftOutBecauseNothingWasAcquiredIsCounted) {
    NEEDS_TOOL("python3");
    const Searched searched(example("python3", "counter.py --atomic"), pairs(2, 1));
    EXPECT_EQ("nothing", searched.found());
    EXPECT_LT(0U, searched.result.tally.passed_over.at("nothing was acquired"));
}

TEST(Trust, WhoDiesBeforeTheLockHasAnEndLeaksIt) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    world.world.crashes_max = 1;
    world.ticks_max = 2;
    Searched searched(leased("two-steps"), world);
    ASSERT_EQ("leak", searched.found());
    const OutsideTrace trace =
        searched.search->show(searched.search->shrink(*searched.result.finding));
    EXPECT_LT(0U, trace.look_steps);
    EXPECT_TRUE(trace.steps.back().result.ends_with(", full")) << trace.steps.back().result;
}

// The clock goes on in thirty-three growing pauses to find it. One is enough to show it.
TEST(Trust, ALeakOfALockWithAClockIsShownWithOnePause) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    world.world.crashes_max = 1;
    world.ticks_max = 2;
    Searched searched(example("python3", "set_nx_px.py --two-steps"), world);
    ASSERT_EQ("leak", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    const OutsideTrace trace = searched.search->show(shrunk);
    EXPECT_EQ(8U, trace.steps.size());
    EXPECT_EQ(5U, trace.look_steps);
    EXPECT_EQ("time passes", trace.steps[5].text);
    EXPECT_TRUE(contains(trace.steps[5].state, "clock 4294967296")) << trace.steps[5].state;
    EXPECT_EQ("", searched.search->repeated_difference(shrunk, trace));
    const OutsideTrace again = searched.search->replay(shrunk.actions);
    EXPECT_EQ(8U, again.steps.size());
    EXPECT_EQ(trace.violated, again.violated);
}

// Whoever asks too often is locked out: one long pause would not show it.
TEST(Trust, ALeakThatNeedsManyTriesIsShownWithAllOfThem) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(1, 1);
    world.world.crashes_max = 1;
    Searched searched(leased("locks-out"), world);
    ASSERT_EQ("leak", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    const OutsideTrace trace = searched.search->show(shrunk);
    EXPECT_LT(66U, trace.look_steps);
    EXPECT_EQ("", searched.search->repeated_difference(shrunk, trace));
}

// Also where the living keep it: nobody ever gets it again.
TEST(Trust, ALockWithoutAnEndThatADeadCallerHeldIsALeak) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    world.world.crashes_max = 1;
    EXPECT_EQ("leak", Searched(leased("no-end"), world).found());
}

TEST(Trust, TimeThatMattersAndCannotPassIsNoPass) {
    NEEDS_TOOL("python3");
    const Searched still(example("python3", "set_nx_px.py"), takeover(0));
    EXPECT_EQ("nothing", still.found());
    EXPECT_TRUE(contains(missing_in(still), "cannot pass (0 ticks)")) << missing_in(still);
    EXPECT_TRUE(contains(missing_in(still), "P17 belief-overlap")) << missing_in(still);
    const Searched other(example("python3", "set_nx_px.py"), checks(takeover(0), "deadlock"));
    EXPECT_EQ("", missing_in(other));
    OutsideWorld short_scope = takeover(2);
    short_scope.parameters = {{"ttl", 500}};
    const Searched longer(example("python3", "set_nx_px.py"), short_scope);
    EXPECT_TRUE(contains(missing_in(longer),
                         "no grant ever came to its end (2 ticks, the longest "
                         "grant takes 500 ticks)"))
        << missing_in(longer);
}

TEST(Trust, MoreBelieveThanThereArePlaces) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(3, 2);
    world.ticks_max = 1;
    EXPECT_EQ("over-allocation", Searched(leased("places"), world).found());
}

// The token is that of the hold: no two holds have the same one.
TEST(Trust, AHolderThatAcquiresAgainMayGetItsTokenAgain) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    auto& script = world.world.callers[0].script;
    script.insert(script.begin(), script[0]);
    script.push_back(script.back());
    world.ticks_max = 1;
    world.parameters = {{"ttl", 2}};
    const Searched right(leased("again"), or_less(world));
    EXPECT_EQ("nothing", right.found());
    EXPECT_TRUE(right.result.complete);
    EXPECT_EQ("token-order", Searched(leased("token-stays"), world).found());
    // A caller that has released has no hold whose token it could repeat.
    EXPECT_EQ("token-order", Searched(leased("token-stays"), pairs(1, 1, 2)).found());
}

TEST(Trust, AnswersThatAreAllTheSameAreNoPass) {
    NEEDS_TOOL("python3");
    OutsideWorld world = checks(pairs(2, 1), "over-allocation");
    const Searched errors(leased("errors"), world);
    EXPECT_TRUE(contains(missing_in(errors), "nothing was ever granted: 0 grants"))
        << missing_in(errors);
    const Searched indefinite(leased("indefinite"), world);
    EXPECT_TRUE(contains(missing_in(indefinite), "4 indefinite answers")) << missing_in(indefinite);
    const Searched contended(leased("contended"), pairs(2, 1));
    EXPECT_TRUE(contains(missing_in(contended), "acquires that met a holder ended in an error"))
        << missing_in(contended);
    // It has one place where it is asked for two: nobody ever meets a lock that is full.
    const Searched of_two(leased("contended"), checks(pairs(3, 2), "over-allocation"));
    EXPECT_TRUE(contains(missing_in(of_two), "acquires that met a holder ended in an error"))
        << missing_in(of_two);
    // Error 14 is definite, and no refusal.
    const Searched aborts(leased("aborts"), pairs(2, 1));
    EXPECT_EQ("nothing", aborts.found());
    EXPECT_TRUE(contains(missing_in(aborts), "acquires that met a holder ended in an error"))
        << missing_in(aborts);
    EXPECT_EQ(0U, aborts.result.tally.answers.refusals);
    EXPECT_LE(1U, aborts.result.tally.answers.errors);
}

TEST(Trust, GrantsThatAreOverWhenTheyAreReturnedAreNoPass) {
    NEEDS_TOOL("python3");
    OutsideWorld world = checks(pairs(2, 1), "over-allocation");
    world.ticks_max = 1;
    const Searched over(leased("over-at-once"), world);
    EXPECT_TRUE(contains(missing_in(over), "the time of every grant was over when it was returned"))
        << missing_in(over);
}

// The holder is gone, and its lease ends after the last tick: somebody who waits for it is not
// stuck.
TEST(Trust, WhoWaitsForALeaseThatEndsAfterTheLastTickIsCutAndNoDeadlock) {
    NEEDS_TOOL("python3");
    Operation acquire = operation(Verb::kAcquire);
    acquire.until_acquired = true;
    OutsideWorld world = world_of(2, {acquire, operation(Verb::kRelease)});
    world.world.crashes_max = 1;
    world.ticks_max = 2;
    world.parameters = {{"ttl", 100'000}};
    OutsideOptions options;
    options.schedules_max = 300;
    const Searched searched(example("python3", "set_nx_px.py"), world, options);
    EXPECT_EQ("nothing", searched.found());
    EXPECT_LT(0U, searched.result.tally.runs_out_of_time);
}

TEST(Trust, RunsThatWereAllCutAreNoPass) {
    NEEDS_TOOL("python3");
    OutsideOptions options;
    options.steps_max = 3;
    options.schedules_max = 100;
    const Searched cut(example("python3", "counter.py --atomic"), pairs(2, 1), options);
    EXPECT_TRUE(contains(missing_in(cut), "every run was cut")) << missing_in(cut);
}

// Shown by callers, though the look at the end of the first run found it before.
TEST(Trust, ALockThatAdmitsEverybodyIsShownByItsCallers) {
    NEEDS_TOOL("python3");
    Searched searched(leased("admits"), pairs(2, 1, 2));
    ASSERT_EQ("over-allocation", searched.found());
    const OutsideTrace trace =
        searched.search->show(searched.search->shrink(*searched.result.finding));
    EXPECT_EQ(2U, trace.steps.size());
    EXPECT_EQ(0U, trace.look_steps);
}

TEST(Trust, WhatOnlyTheLookAtTheEndShowsHasItsSteps) {
    NEEDS_TOOL("python3");
    Searched searched(leased("admits"), checks(pairs(1, 1), "double-release"));
    ASSERT_EQ("double-release", searched.found());
    const OutsideTrace trace =
        searched.search->show(searched.search->shrink(*searched.result.finding));
    ASSERT_EQ(2U, trace.steps.size());
    EXPECT_EQ("probe acquire", trace.steps.front().text);
    EXPECT_EQ("-> acquired", trace.steps.back().result);
    EXPECT_TRUE(contains(trace.steps.back().state, "held by probe, probe2"));
}

TEST(Trust, AProgramThatIsNotDeterministicIsCalledSo) {
    NEEDS_TOOL("python3");
    const Searched searched(leased("random"), pairs(2, 1));
    EXPECT_EQ("diverged", searched.found());
    EXPECT_TRUE(contains(searched.result.diverged, ": first \"A1 acquire"))
        << searched.result.diverged;
    EXPECT_TRUE(contains(searched.result.diverged, "\", then \"A1 acquire"))
        << searched.result.diverged;
}

// A search of a single run repeats nothing by itself.
TEST(Trust, ASingleRunIsRepeated) {
    NEEDS_TOOL("python3");
    const Searched searched(leased("random"), checks(pairs(1, 1), "over-allocation"));
    EXPECT_EQ("diverged", searched.found());
}

}  // namespace
}  // namespace lockkeeper
