// SPDX-License-Identifier: Apache-2.0

// Timers of a client's process: they end when the search says so.
#include <algorithm>

#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string timer_client(const std::string& kind, const std::string& modes = "") {
    return raw_client(kind, modes, "timer_lock.py");
}

constexpr Action kCallOfTimed{0, ActionKind::kStep, 0};
constexpr Action kWakeOfTimed{0, ActionKind::kBackground, 0};

// Describes the first caller's acquire while its timers end.
std::string waits_of(const std::string& kind, const std::string& modes = "") {
    Held held(timer_client(kind, modes), two_callers({Verb::kAcquire}), {}, exploring());
    WireRun run(*held.wire, held.world, {});
    run.begin();
    std::string out = run.take(kCallOfTimed).result;
    for (;;) {
        const std::vector<Action> enabled = run.enabled();
        if (std::find(enabled.begin(), enabled.end(), kWakeOfTimed) == enabled.end()) {
            return out;
        }
        const WireRun::Step step = run.take(kWakeOfTimed);
        out += step.text + step.result + "; ";
    }
}

TEST(Timers, EndWhenTheClockIsSetToTheirEnd) {
    SKIP_WITHOUT_REDIS();
    const std::string thrice = "A wakes after 0.5 s; A wakes after 0.25 s; A wakes after 0.25 s";
    for (const char* modes : {"", "-"}) {
        EXPECT_EQ(thrice + "-> error: \"after 1.000 s: 0.25 0.25\"; ",
                  waits_of("setitimer", modes));
        EXPECT_EQ(thrice + "-> error: \"after 1.000 s: [1, 1, 1]\"; ", waits_of("timerfd", modes));
        EXPECT_EQ("A wakes after 2 s-> error: \"after 2.000 s: 0\"; ", waits_of("alarm", modes));
    }
}

TEST(Timers, ATimerThatEndsTwiceBeforeItIsReadCountsTwo) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ(
        "A wakes after 0.5 s; A wakes after 0.25 s; A wakes after 0.05 s; A wakes after 0.2 s-> "
        "error: \"after 1.000 s: [2, 0, 1]\"; ",
        waits_of("poll"));
}

TEST(Timers, ATimerThatIsTakenBackDoesNotEnd) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("A wakes after 5 s-> error: \"after 5.000 s: 2\"; ", waits_of("forgets"));
}

TEST(Timers, OfWaitsBySyscallEndToo) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ(
        "A wakes after 0.2 s; A wakes after 0.3 s-> error: \"after 0.500 s: [-1, 110, 110, 11]\"; ",
        waits_of("futex"));
}

TEST(Timers, OfSocketsEndToo) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("A wakes after 1.5 s-> error: \"after 1.500 s: (1, 500000)\"; ", waits_of("socket"));
}

TEST(Timers, AMutexThatIsWaitedForWithALimitIsGivenUpOrTaken) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("A wakes after 0.5 s; A wakes after 0.25 s-> error: \"after 0.750 s: [110, 0]\"; ",
              waits_of("mutex"));
}

TEST(Timers, OfTimerCreateSendSignalsAndStartThreads) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("A wakes after 0.5 s; A wakes after 0.25 s-> error: \"after 0.750 s: 2\"; ",
              waits_of("signals"));
    EXPECT_EQ("A wakes after 0.5 s; A wakes after 0.25 s-> error: \"after 0.750 s: [5, 5]\"; ",
              waits_of("threads"));
    EXPECT_EQ("A wakes after 5 s-> error: \"after 5.000 s: nothing\"; ", waits_of("deleted"));
}

TEST(Timers, AWaitThatCannotBeGivenAClockIsRefused) {
    SKIP_WITHOUT_REDIS();
    try {
        static_cast<void>(waits_of("joins"));
        FAIL() << "it was held";
    } catch (const Misbehaved& error) {
        EXPECT_EQ(Misbehaviour::kNotSupported, error.kind());
        EXPECT_STREQ(
            "it waits with a time limit that cannot be given a clock: \"pthread_timedjoin_np\"",
            error.what());
    }
}

TEST(Timers, WhoIsToldByItsWatchdogThatTheLockIsLostHoldsItNoLonger) {
    SKIP_WITHOUT_REDIS();
    const auto result_of = [](const std::string& kind) {
        Held held(timer_client(kind), two_callers({Verb::kAcquire}), {}, exploring());
        WireRun run(*held.wire, held.world, {});
        run.begin();
        static_cast<void>(run.take(kCallOfTimed));
        static_cast<void>(run.take({0, ActionKind::kStep, 1}));
        const bool held_before = run.describe().ends_with("held by A");
        const std::vector<Action> enabled = run.enabled();
        if (std::find(enabled.begin(), enabled.end(), kWakeOfTimed) == enabled.end()) {
            return std::string(held_before ? "held" : "not held");
        }
        std::string seen = run.take(kWakeOfTimed).result + (held_before ? ", held before" : "");
        return seen + run.describe().substr(run.describe().find("  "));
    };
    EXPECT_EQ("-> lost by itself, held before  nobody holds", result_of("watchdog"));
    EXPECT_EQ("held", result_of("no_watchdog"));
}

// An alarm that ends the wait has the effect of a lost answer.
TEST(Timers, AClientThatGivesUpByAnAlarmAndHoldsAllTheSameIsFound) {
    SKIP_WITHOUT_REDIS();
    const auto found = [](const std::string& kind, std::uint32_t drops) {
        WireScope scope;
        scope.drops_max = drops;
        scope.splits = true;
        Held held(timer_client(kind), two_callers({Verb::kAcquire}), scope, exploring());
        held.world.world.callers[0].script.emplace_back();
        held.world.world.callers[0].script[1].verb = Verb::kRelease;
        const OutsideResult result = held.search->search();
        return !result.finding ? result.complete ? "nothing" : result.limit + result.diverged
               : result.finding->property == nullptr ? result.finding->detail
                                                     : std::string(result.finding->property->name);
    };
    EXPECT_EQ("nothing", found("gives_up", 0));
    EXPECT_EQ("leak", found("gives_up", 1));
    EXPECT_EQ("leak", found("gives_back", 1));
    EXPECT_EQ("nothing", found("gives_lease", 1));
}

}  // namespace
}  // namespace lockkeeper::wire
