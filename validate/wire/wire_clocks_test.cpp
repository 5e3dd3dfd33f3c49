// SPDX-License-Identifier: Apache-2.0

// Clocks that drift and jump, and locks that trust them.
#include "scenarios/bad_input.hpp"
#include "scheduler/base/random.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string clock_client(const std::string& kind) { return raw_client(kind, "", "clock_lock.py"); }

OutsideWorld with_clock(const char* setting, std::int32_t number) {
    OutsideWorld world = two_callers({Verb::kAcquire});
    world.world.callers[0].settings[setting] = number;
    world.world.callers[1].settings[kJumpSetting] = 0;  // never
    return world;
}

std::string found_with_clock(const std::string& kind, const OutsideWorld& world,
                             std::uint32_t jumps) {
    WireScope scope;
    scope.expiries_max = 1;
    scope.jumps_max = jumps;
    scope.splits = true;
    Held held(clock_client(kind), world, scope, exploring());
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    return !result.finding                       ? result.complete ? "nothing" : result.limit
           : result.finding->property == nullptr ? result.finding->detail
                                                 : std::string(result.finding->property->name);
}

TEST(Clocks, AMomentOfADriftingClockIsTheFirstAtWhichItShowsIt) {
    Random random(1);
    for (int i = 0; i < 100'000; ++i) {
        const std::int64_t drift = std::int64_t{random.below(120'001)} - 60'000;
        const std::int64_t passed =
            static_cast<std::int64_t>(random.next() % 1'000'000'000'000'000);
        const std::int64_t shown = kBeginning + 1 + passed;
        const std::int64_t moment = lockkeeper_wire_moment(shown, drift);
        ASSERT_LE(shown, lockkeeper_wire_shown(moment, drift)) << drift << " " << passed;
        ASSERT_GT(shown, lockkeeper_wire_shown(moment - 1, drift)) << drift << " " << passed;
    }
    EXPECT_EQ(kBeginning + 1'060'000, lockkeeper_wire_shown(kBeginning + 1'000'000, 60'000));
    EXPECT_EQ(kBeginning, lockkeeper_wire_moment(kBeginning - 5, 60'000));
}

TEST(Clocks, ALockThatTrustsItsWallClockIsFoundWithAJump) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("belief-overlap", found_with_clock("wall", with_clock(kJumpSetting, -5'000), 1));
    EXPECT_EQ("nothing", found_with_clock("wall", with_clock(kJumpSetting, -5'000), 0));
    EXPECT_EQ("nothing", found_with_clock("steady", with_clock(kJumpSetting, -5'000), 1));
}

TEST(Clocks, ALockThatTrustsASlowClockIsFound) {
    SKIP_WITHOUT_REDIS();
    for (const char* kind : {"wall", "steady"}) {
        EXPECT_EQ("belief-overlap", found_with_clock(kind, with_clock(kDriftSetting, -20'000), 0));
        EXPECT_EQ("nothing", found_with_clock(kind, with_clock(kDriftSetting, 20'000), 0));
        EXPECT_EQ("nothing", found_with_clock(kind, two_callers({Verb::kAcquire}), 0));
    }
    const std::uint32_t jumps = testing_model::is_short_run() ? 0 : 1;  // it looks at no wall clock
    EXPECT_EQ("nothing", found_with_clock("margin", with_clock(kDriftSetting, -20'000), jumps));
}

TEST(Clocks, ALockThatLooksAtNoClockOfItsOwnPassesWithBoth) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.expiries_max = scope.jumps_max = 1;
    EXPECT_EQ("nothing", found_with("right", scope, with_clock(kDriftSetting, -60'000)));
}

// Each of them on clocks of its own: a step's words say how long a wait was by the harness's clock.
std::vector<std::string> steps_of(const std::string& kind, const OutsideWorld& world,
                                  const std::vector<Action>& actions) {
    WireScope scope;
    scope.jumps_max = 1;
    Held held(clock_client(kind), world, scope, exploring());
    std::vector<std::string> words;
    for (const TraceStep& step : held.search->replay(actions).steps) {
        words.push_back(step.text);
    }
    words.resize(actions.size());
    return words;
}

constexpr Action kCallOfFirst{0, ActionKind::kStep, 0};
constexpr Action kWakeOfFirst{0, ActionKind::kBackground, 0};
constexpr Action kForwardOfFirst{0, ActionKind::kDisturb, kJumpForward};
constexpr Action kBackOfFirst{0, ActionKind::kDisturb, kJumpBack};

TEST(Clocks, AWaitOfADriftingClientEndsAtTheRightMoment) {
    SKIP_WITHOUT_REDIS();
    const auto wake = [](const OutsideWorld& world) {
        return steps_of("sleeps", world, {kCallOfFirst, kWakeOfFirst})[1];
    };
    EXPECT_EQ("A wakes after 0.5 s", wake(two_callers()));
    EXPECT_EQ("A wakes after 0.532 s", wake(with_clock(kDriftSetting, -60'000)));
    EXPECT_EQ("A wakes after 0.472 s", wake(with_clock(kDriftSetting, 60'000)));
}

TEST(Clocks, OnlyAWaitForAMomentOfTheWallClockJumpsWithIt) {
    SKIP_WITHOUT_REDIS();
    const auto wake = [](const char* kind, std::int32_t by) {
        return steps_of(kind, with_clock(kJumpSetting, by),
                        {kCallOfFirst, by > 0 ? kForwardOfFirst : kBackOfFirst, kWakeOfFirst});
    };
    EXPECT_EQ("A's wall clock jumps forward by 4 s", wake("sleeps_until", 4'000)[1]);
    EXPECT_EQ("A wakes after 6 s", wake("sleeps_until", 4'000)[2]);
    EXPECT_EQ("A's wall clock jumps back by 4 s", wake("sleeps_until", -4'000)[1]);
    EXPECT_EQ("A wakes after 14 s", wake("sleeps_until", -4'000)[2]);
    EXPECT_EQ("A wakes after 0 s", wake("sleeps_until", 20'000)[2]);
    EXPECT_EQ("A wakes after 0.5 s", wake("sleeps", 4'000)[2]);
}

TEST(Clocks, ASettingThatNoCallerHasIsRefused) {
    Scenario scenario = built_in_wire(2, "acquire,release");
    scenario.world.callers[0].settings["drift"] = 5;
    EXPECT_EQ(5, settings_of(for_wire(scenario, {}, {}, false).plan,
                             for_wire(scenario, {}, {}, false).world)
                     .clock_drifts[0]);
    scenario.world.callers[0].settings["clok"] = 5;
    EXPECT_THROW(static_cast<void>(for_wire(scenario, {}, {}, false)), BadInput);
}

}  // namespace
}  // namespace lockkeeper::wire
