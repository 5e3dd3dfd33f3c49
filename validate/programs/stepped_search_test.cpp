// SPDX-License-Identifier: Apache-2.0

// The search, on the shipped examples: verdicts, pinned counts, the same in each language;
// determinism, shrinking, replay.
#include <fmt/format.h>

#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

OutsideOptions with(OutsideMethod method, std::uint64_t seed = 1) {
    OutsideOptions options;
    options.method = method;
    options.seed = seed;
    return options;
}

std::string text_of(const OutsideTrace& trace) {
    std::string out;
    for (const TraceStep& step : trace.steps) {
        out += to_text(step.action) + " " + step.text + " " + step.result + " " + step.state + "\n";
    }
    return out;
}

TEST(SteppedSearch, FindsTheLostUpdateInFourSteps) {
    NEEDS_TOOL("python3");
    Searched searched(example("python3", "counter.py"), pairs(2, 1));
    ASSERT_EQ("over-allocation", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_EQ(4U, shrunk.actions.size());
    const OutsideTrace trace = searched.search->replay(shrunk.actions);
    EXPECT_EQ("over-allocation", trace.violated.at(0)->name);
    EXPECT_EQ("-> acquired", trace.steps.back().result);
    EXPECT_EQ(text_of(trace), text_of(searched.search->replay(shrunk.actions)));
}

// A2 reads before A1 has written, and A1 writes before A2 has released.
TEST(SteppedSearch, SaysWhichDecisionsAViolationNeeds) {
    NEEDS_TOOL("python3");
    Searched searched(example("python3", "counter.py"), pairs(2, 1));
    ASSERT_EQ("over-allocation", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_EQ((std::vector<std::size_t>{1, 3}), searched.search->causes_of(shrunk));
}

TEST(SteppedSearch, LooksAtEverythingWhereTheCounterIsAtomic) {
    NEEDS_TOOL("python3");
    const Searched searched(example("python3", "counter.py --atomic"), pairs(2, 1));
    EXPECT_EQ("nothing", searched.found());
    EXPECT_TRUE(searched.result.complete);
}

// The numbers are those of the algorithm, whatever language it is written in.
class CanalIn : public InEachLanguage {};

TEST_P(CanalIn, ThePublishedAlgorithmLeaks) {
    NEEDS_TOOL(GetParam().tool);
    Searched searched(example_here("canal", " --faithful"), pairs(2, 2, 2));
    ASSERT_EQ("leak", searched.found());
    EXPECT_EQ(72U, searched.result.schedules);
    EXPECT_EQ(1170U, searched.result.steps);
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_EQ(21U, shrunk.actions.size());
    EXPECT_EQ("leak", searched.search->replay(shrunk.actions).violated.at(0)->name);
}

// The second caller comes between the first one's bucket and its `highest`.
TEST_P(CanalIn, ThePublishedAlgorithmKillsWhoCannotRaiseHighest) {
    NEEDS_TOOL(GetParam().tool);
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire, 1, 2)});
    world.check = {find_property("caller-death")};
    Searched searched(example_here("canal", " --faithful"), world);
    ASSERT_EQ("caller-death", searched.found());
    EXPECT_EQ(6U, searched.search->shrink(*searched.result.finding).actions.size());
}

TEST_P(CanalIn, TheRepairedOneComesBackFromACrashAnywhere) {
    NEEDS_TOOL(GetParam().tool);
    OutsideWorld world = pairs(2, 1);
    for (CallerConfig& caller : world.world.callers) {
        caller.script.front().until_acquired = true;
    }
    world.world.crashes_max = 1;
    // In slow builds the first one's only.
    world.world.callers[1].may_crash = !testing_model::is_short_run();
    const Searched searched(example_here("canal"), world);
    EXPECT_EQ("nothing", searched.found());
    EXPECT_TRUE(searched.result.complete);
    EXPECT_EQ(testing_model::is_short_run() ? 547U : 1014U, searched.result.schedules);
    EXPECT_EQ(testing_model::is_short_run() ? 6032U : 11467U, searched.result.steps);
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, CanalIn, all_languages(), name_of_language);

OutsideWorld renewals() {
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire), operation(Verb::kRelease)});
    world.world.words = {"renew"};
    Operation renew = operation(Verb::kCall);
    renew.word = 0;
    auto& script = world.world.callers[0].script;
    script.insert(script.begin() + 1, renew);
    world.world.callers[1].script.front().until_acquired = true;
    world.parameters = {{"ttl", 2}};
    world.ticks_max = 4;
    return world;
}

class LeaseIn : public InEachLanguage {};

TEST_P(LeaseIn, ARenewalThatAsksNobodyOverlaps) {
    NEEDS_TOOL(GetParam().tool);
    Searched searched(example_here("lease", " --renew-anybody"), renewals());
    ASSERT_EQ("belief-overlap", searched.found());
    EXPECT_LT(searched.search->shrink(*searched.result.finding).actions.size(), 17U);
}

TEST_P(LeaseIn, ARenewalByTheOwnerDoesNot) {
    NEEDS_TOOL(GetParam().tool);
    OutsideWorld world = renewals();
    world.ticks_max = 2;
    const Searched searched(example_here("lease"), or_less(world));
    EXPECT_EQ("nothing", searched.found());
    EXPECT_TRUE(searched.result.complete);
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, LeaseIn, both_languages(), name_of_language);

// A holder whose clock is behind believes longer than the lease lasts.
TEST(SteppedSearch, AClockThatIsBehindMakesALeaseOverlap) {
    NEEDS_TOOL("python3");
    OutsideWorld world = renewals();
    world.world.callers[0].settings["clock"] = -1;
    EXPECT_EQ("belief-overlap", Searched(example("python3", "lease.py"), world).found());
}

TEST(SteppedSearch, TheSameSeedGivesTheSameRandomSchedules) {
    NEEDS_TOOL("python3");
    const std::string command = example("python3", "canal.py --faithful");
    const auto search = [&](std::uint64_t seed) {
        OutsideOptions options = with(OutsideMethod::kRandom, seed);
        options.schedules_max = 2'000;
        return Searched(command, pairs(2, 2, 2), options).result;
    };
    const OutsideResult first = search(7);
    const OutsideResult again = search(7);
    ASSERT_TRUE(first.finding.has_value());
    EXPECT_EQ(first.finding->actions, again.finding->actions);
    EXPECT_EQ(first.schedules, again.schedules);
    EXPECT_NE(first.steps, search(8).steps);
}

// Such a state is not one that was seen: gone on from once only, the death would be missed.
TEST(SteppedSearch, StatesThatDifferOnlyInALongQuestionAreTwo) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire)});
    world.check = {find_property("caller-death")};
    EXPECT_EQ("caller-death", Searched(other_child("long_values.py value"), world).found());
    EXPECT_EQ("caller-death", Searched(other_child("long_values.py creates"), world).found());
}

TEST(SteppedSearch, ALimitIsABoundAndNoPassOfEverything) {
    NEEDS_TOOL("python3");
    OutsideOptions options = with(OutsideMethod::kExplore);
    options.schedules_max = 10;
    const Searched searched(example("python3", "canal.py"), pairs(2, 2, 2), options);
    EXPECT_FALSE(searched.result.complete);
    EXPECT_EQ("schedules", searched.result.limit);
    EXPECT_EQ(10U, searched.result.schedules);
}

TEST(SteppedSearch, WithoutInterruptionsTheLostUpdateIsNotFound) {
    NEEDS_TOOL("python3");
    OutsideOptions options = with(OutsideMethod::kExplore);
    options.preemptions_max = 0;
    const Searched searched(example("python3", "counter.py"), pairs(2, 1), options);
    EXPECT_EQ("nothing", searched.found());
    EXPECT_FALSE(searched.result.complete);
    EXPECT_EQ(0U, searched.result.preemptions_done);
}

TEST(SteppedSearch, ABoundOnInterruptionsIsCounted) {
    NEEDS_TOOL("python3");
    const auto schedules = [](std::optional<std::uint32_t> most) {
        OutsideOptions options = with(OutsideMethod::kExplore);
        options.preemptions_max = most;
        const Searched searched(example("python3", "canal.py"), pairs(2, 2), options);
        EXPECT_EQ("nothing", searched.found());
        EXPECT_EQ(most.value_or(UINT32_MAX), searched.result.preemptions_done);
        EXPECT_EQ(!most, searched.result.complete);
        return searched.result.schedules;
    };
    const std::uint64_t none = schedules(0);
    const std::uint64_t one = schedules(1);
    const std::uint64_t two = schedules(2);
    EXPECT_LT(none, one);
    EXPECT_LT(one, two);
    EXPECT_LT(two, schedules(std::nullopt));
}

// A page draws a run as that of a model: operations, beliefs, capacity, and overlapping holders.
TEST(SteppedSearch, AReplayShowsWhatAPageDraws) {
    NEEDS_TOOL("python3");
    Searched searched(example("python3", "counter.py"), pairs(2, 1));
    ASSERT_EQ("over-allocation", searched.found());
    const OutsideTrace trace =
        searched.search->show(searched.search->shrink(*searched.result.finding));
    ASSERT_EQ(4U, trace.steps.size());
    std::string history;
    for (const HistoryEntry& entry : trace.history) {
        history += fmt::format("{} {} {}; ", entry.step, trace.parties.at(entry.caller).name,
                               name_of(entry.type));
    }
    EXPECT_EQ("0 A1 invoke; 1 A2 invoke; 2 A2 ok; 3 A1 ok; ", history);
    ASSERT_EQ(1U, trace.overlaps.size());
    EXPECT_EQ(4U, trace.overlaps.front().first_step);
    EXPECT_EQ(std::vector<std::string>{"db"}, trace.keys);
    const auto value_at_end = [&](ShownKind kind, std::optional<std::uint8_t> caller) {
        std::int32_t value = -1;
        for (std::size_t i = 0; i < trace.fields.size(); ++i) {
            if (trace.fields[i].kind != kind || trace.fields[i].caller != caller) {
                continue;
            }
            value = trace.initial_values[i];
            for (const TraceStep& step : trace.steps) {
                for (const ShownChange& change : step.changes) {
                    value = change.field == i ? change.value : value;
                }
            }
        }
        return value;
    };
    EXPECT_EQ(1, value_at_end(ShownKind::kCapacity, {}));
    EXPECT_EQ(1, value_at_end(ShownKind::kBelieved, 0));
    EXPECT_EQ(1, value_at_end(ShownKind::kBelieved, 1));
    EXPECT_EQ(0, value_at_end(ShownKind::kProtected, 0)) << "two hold";
    EXPECT_EQ(-1, value_at_end(ShownKind::kCounted, {})) << "what it counts nobody knows";
    EXPECT_EQ("read db", trace.steps.front().words.label);
    EXPECT_EQ("acquire", trace.steps.front().words.operation);
    EXPECT_TRUE(trace.steps.back().event.is(kAcquired));
}

TEST(SteppedSearch, AReplaySaysWhichStepIsNotPossible) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    Program program(options_for(example("python3", "counter.py"), world));
    SteppedSearch search(program, world, {});
    const OutsideTrace trace =
        search.replay({{0, ActionKind::kStep, 0}, {9, ActionKind::kStep, 0}});
    EXPECT_EQ(1U, trace.impossible);
    EXPECT_EQ(1U, trace.steps.size());
}

}  // namespace
}  // namespace lockkeeper
