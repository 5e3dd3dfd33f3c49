// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

WireScope expiry() {
    WireScope scope;
    scope.expiries_max = 1;
    return scope;
}

OutsideWorld with_crash(OutsideWorld world) {
    world.world.crashes_max = 1;
    return world;
}

TEST(WireSearch, ALockThatAsksTwiceIsFoundOut) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("belief-overlap", found_with("get_then_set", expiry(), two_callers()));
}

TEST(WireSearch, ALockWithoutAnEndLeaksWhenItsHolderIsKilled) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("leak", found_with("for_ever", {}, with_crash(two_callers())));
    EXPECT_EQ("leak", found_with("two_requests", {}, with_crash(two_callers())));
    EXPECT_EQ("nothing", found_with("right", {}, with_crash(two_callers_or_less())));
}

TEST(WireSearch, KeysOfEveryDatabaseAreSeen) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("leak", found_with("other_database_for_ever", {}, with_crash(two_callers_or_less())));
    EXPECT_EQ("false-ok", found_with("other_database_anybody", expiry(), two_callers()));
    EXPECT_EQ("nothing", found_with("other_database_right", expiry(), two_callers_or_less()));
    WireScope empty;
    empty.failovers_max = 1;
    EXPECT_EQ("belief-overlap",
              found_with("other_database_right", empty, two_callers({Verb::kAcquire})));
}

TEST(WireSearch, AReleaseOfAnybodysLockIsFoundOut) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("false-ok", found_with("anybody", expiry(), two_callers()));
}

TEST(WireSearch, AReleaseThatChecksAndDeletesWithTwoRequestsIsFoundOut) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers_or_less();
    world.world.callers[0].script.emplace_back();  // an acquire
    EXPECT_EQ("belief-overlap", found_with("get_then_del", expiry(), world));
    EXPECT_EQ("nothing", found_with("right", expiry(), world));
}

// A's lock ends before A releases. Where B is in the middle of its acquire by then, that it has
// called before is needed, too.
TEST(WireSearch, WhatAViolationNeedsIsSaid) {
    SKIP_WITHOUT_REDIS();
    WireScope scope = expiry();
    scope.splits = true;
    Held held(raw_client("anybody"), two_callers(), scope, exploring());
    const OutsideResult result = held.search->search();
    ASSERT_TRUE(result.finding);
    const OutsideFinding shrunk = held.search->shrink(*result.finding);
    const auto causes = [&](const OutsideFinding& finding) {
        std::string kinds;
        for (const std::size_t cause : held.search->causes_of(finding)) {
            kinds += to_text(finding.actions[cause]) + " ";
        }
        return kinds;
    };
    EXPECT_EQ("t0.1 ", causes(shrunk)) << to_line({1, shrunk.actions});
    OutsideFinding begun_before = shrunk;
    std::swap(begun_before.actions.at(3), begun_before.actions.at(4));
    EXPECT_EQ("s1 t0.1 ", causes(begun_before)) << to_line({1, begun_before.actions});
}

// Processes that are kept from run to run do other steps than those that show the finding.
TEST(WireSearch, StepsThatAreNotPossibleAnyMoreAreNoCauses) {
    SKIP_WITHOUT_REDIS();
    Held held(raw_client("wrong_once", "reset"), two_callers({Verb::kAcquire}), {}, exploring());
    const OutsideResult result = held.search->search();
    ASSERT_TRUE(result.finding);
    EXPECT_EQ("over-allocation", result.finding->property->name);
    EXPECT_TRUE(held.search->causes_of(*result.finding).empty());
    EXPECT_FALSE(held.search->show(*result.finding).violated.empty());
}

TEST(WireSearch, AnEndThatIsCountedFromTheAnswerIsTooLate) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("belief-overlap", found_with("late", expiry(), two_callers()));
}

// A caller that learns of its grant too late is right to answer no.
TEST(WireSearch, ALockThatRefusesWhatItWasGrantedTooLateIsRight) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_with("too_late", expiry(), two_callers_or_less()));
    EXPECT_EQ("nothing", found_with("keeps_too_late", expiry(), two_callers_or_less()));
    EXPECT_EQ("under-allocation", found_with("never", expiry(), two_callers_or_less()));
}

TEST(WireSearch, ARightLockPassesCompletely) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_with("right", expiry(), two_callers()));
    WireScope drop;
    drop.drops_max = 1;
    EXPECT_EQ("nothing", found_with("right", drop, two_callers_or_less()));
}

// Time does not pass unseen behind the end of a key where only waits let it pass.
TEST(WireSearch, WhoComesBackBehindTheEndOfALockIsNotAccused) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_with("comes_back", {}, two_callers()));
    EXPECT_EQ("nothing", found_with("comes_back", expiry(), two_callers_or_less()));
}

// Every end of a run, with the reduction and without it.
std::pair<std::set<std::string>, std::uint64_t> ends_of(const std::string& kind,
                                                        const OutsideWorld& world, WireScope scope,
                                                        bool reduces) {
    std::set<std::string> ends;
    OutsideOptions options = exploring();
    options.reduces = reduces;
    options.on_outcome = [&](const std::string& outcome) { ends.insert(outcome); };
    Held held(raw_client(kind), world, scope, options);
    const OutsideResult result = held.search->search();
    EXPECT_TRUE(result.complete) << kind << ": " << result.limit << result.diverged;
    return {ends, result.schedules};
}

void expect_that_no_end_is_lost(const std::string& kind,
                                const OutsideWorld& world = two_callers()) {
    SCOPED_TRACE(kind);
    const auto [reduced, reduced_runs] = ends_of(kind, world, {}, true);
    const auto [full, full_runs] = ends_of(kind, world, {}, false);
    EXPECT_EQ(full, reduced);
    EXPECT_LT(reduced_runs, full_runs);
}

// ctest -L long: of further locks.
TEST(WireSearch, DISABLED_LongTheReductionLosesNoEnd) {
    ASSERT_FALSE(databases::find_program("redis-server").empty());
    for (const char* kind : {"get_then_set", "right", "two_requests", "anybody"}) {
        expect_that_no_end_is_lost(kind);
    }
}

TEST(WireSearch, TheReductionLosesNoEnd) {
    SKIP_WITHOUT_REDIS();
    WireScope split = expiry();
    split.splits = true;
    expect_that_no_end_is_lost("get_then_set", two_callers_or_less());
    const OutsideWorld world = with_crash(two_callers({Verb::kAcquire}));
    EXPECT_EQ(ends_of("get_then_set", world, {}, false).first,
              ends_of("get_then_set", world, {}, true).first);
    EXPECT_EQ(ends_of("right", two_callers({Verb::kAcquire}), split, false).first,
              ends_of("right", two_callers({Verb::kAcquire}), split, true).first);
}

OutsideOptions drawing(std::uint64_t seed, std::uint64_t schedules) {
    OutsideOptions options;
    options.method = OutsideMethod::kRandom;
    options.seed = seed;
    options.schedules_max = schedules;
    return options;
}

TEST(WireSearch, DrawnSchedulesFindItToo) {
    SKIP_WITHOUT_REDIS();
    for (const Drawn kind : kDrawn) {
        OutsideOptions options = drawing(1, 200);
        options.only = kind;
        Held held(raw_client("get_then_set"), two_callers(), {}, options);
        const OutsideResult result = held.search->search();
        ASSERT_TRUE(result.finding);
        EXPECT_EQ(name_of(kind), result.finding->found_by);
    }
}

// One of them has looked and waits while the other one does 50 requests in a row.
TEST(WireSearch, PrioritiesFindWhatRandomStepsSeldomDo) {
    SKIP_WITHOUT_REDIS();
    const auto schedules = [](Drawn kind) {
        const std::uint64_t seeds = testing_model::is_short_run() ? 1 : 5;
        std::uint64_t sum = 0;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            OutsideOptions options = drawing(seed, 100);
            options.only = kind;
            Held held(raw_client("patient"), two_callers({Verb::kAcquire}), {}, options);
            const OutsideResult result = held.search->search();
            EXPECT_TRUE(result.finding || kind == Drawn::kRandom);
            sum += result.schedules;
        }
        return sum;
    };
    EXPECT_LT(4 * schedules(Drawn::kPct), schedules(Drawn::kRandom));
}

TEST(WireSearch, TheSameSeedDrawsTheSameSchedules) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = with_crash(two_callers());
    world.world.restarts_max = 1;
    WireScope scope = expiry();
    scope.drops_max = 1;
    scope.splits = true;
    const std::uint64_t kSchedules = testing_model::is_short_run() ? 20 : 40;
    const auto drawn = [&](std::uint64_t seed) {
        std::vector<std::vector<Action>> schedules;
        OutsideOptions options = drawing(seed, kSchedules);
        options.on_schedule = [&](const std::vector<Action>& actions) {
            schedules.push_back(actions);
        };
        Held held(raw_client("right"), world, scope, options);
        EXPECT_FALSE(held.search->search().finding);
        return schedules;
    };
    const auto first = drawn(1);
    EXPECT_EQ(kSchedules, first.size());
    EXPECT_EQ(first, drawn(1));
    EXPECT_NE(first, drawn(2));
    const auto takes = [&](ActionKind kind) {
        return std::count_if(first.begin(), first.end(), [&](const auto& actions) {
            return std::any_of(actions.begin(), actions.end(),
                               [&](Action action) { return action.kind == kind; });
        });
    };
    for (const ActionKind kind :
         {ActionKind::kCrash, ActionKind::kFault, ActionKind::kDisturb, ActionKind::kTime}) {
        EXPECT_LT(0, takes(kind)) << static_cast<int>(kind);
        EXPECT_GT(static_cast<std::ptrdiff_t>(kSchedules), takes(kind)) << static_cast<int>(kind);
    }
}

TEST(WireSearch, WhatDoesNotRepeatIsNotDeterministic) {
    SKIP_WITHOUT_REDIS();
    Held held(raw_client("pid"), two_callers(), {}, exploring(), 10, Freshness::kForked);
    const OutsideResult result = held.search->search();
    EXPECT_NE(std::string::npos, result.diverged.find("SET db")) << result.diverged;
}

TEST(WireSearch, TheSameScheduleGivesTheSameBytes) {
    SKIP_WITHOUT_REDIS();
    const OutsideWorld world = two_callers();
    WireScope scope = expiry();
    for (const Freshness freshness : {Freshness::kKept, Freshness::kForked, Freshness::kStarted}) {
        WireSettings settings;
        settings.command = raw_client("right");
        settings.callers = 3;
        settings.freshness = freshness;
        Wire wire(settings);
        WireRun run(wire, world, scope);
        std::set<std::string> seen;
        for (int i = 0; i < 10; ++i) {
            run.begin();
            std::string all;
            for (std::size_t choice = 0;; ++choice) {
                const std::vector<Action> enabled = run.enabled();
                if (enabled.empty()) {
                    break;
                }
                const WireRun::Step step = run.take(enabled[choice * 7 % enabled.size()]);
                all += step.text + step.result + std::to_string(step.bytes) + "\n";
            }
            seen.insert(all);
        }
        EXPECT_EQ(1U, seen.size());
    }
}

TEST(WireSearch, ThreadsThatWaitAreWokenByTheClockOnly) {
    SKIP_WITHOUT_REDIS();
    for (const char* modes : {"", "-"}) {
        Held held(raw_client("sleeps", modes), two_callers(), {}, exploring());
        const OutsideTrace trace = held.search->replay({{0, ActionKind::kStep, 0},
                                                        {0, ActionKind::kBackground, 0},
                                                        {0, ActionKind::kBackground, 0},
                                                        {0, ActionKind::kStep, 1}});
        ASSERT_LE(4U, trace.steps.size());
        EXPECT_EQ("A wakes after 0.5 s", trace.steps[1].text);
        EXPECT_EQ("A wakes after 0.25 s", trace.steps[2].text);
        EXPECT_EQ("-> OK, acquired", trace.steps[3].result);
    }
}

// A holds until its own clock says so, which is four seconds behind.
TEST(WireSearch, ACallerMayHaveAClockOfItsOwn) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers_or_less();
    WireScope scope = expiry();
    scope.splits = true;
    for (const int offset : {0, -4'000, 4'000}) {
        world.world.callers[0].settings["clock"] = offset;
        Held held(raw_client("says_until"), world, scope, exploring());
        const OutsideResult result = held.search->search();
        EXPECT_EQ("", result.diverged);
        EXPECT_EQ(offset < 0, result.finding.has_value()) << offset;
    }
}

// The number of an acquire, such as how long it may wait, is the driver's.
TEST(WireSearch, AnAcquireTellsTheDriverItsNumber) {
    SKIP_WITHOUT_REDIS();
    const std::string grants_seven =
        "echo ready; while read word key number; do test \"$number\" = 7 && echo ok || echo error; "
        "done";
    for (const std::uint32_t number : {7U, 0U}) {
        OutsideWorld world = two_callers({Verb::kAcquire});
        for (CallerConfig& caller : world.world.callers) {
            caller.script.front().number = number;
        }
        Held held(grants_seven, std::move(world), {}, exploring());
        const OutsideResult result = held.search->search();
        EXPECT_EQ("", result.diverged);
        EXPECT_EQ(number == 7, result.finding.has_value()) << number;
    }
}

}  // namespace
}  // namespace lockkeeper::wire
