// SPDX-License-Identifier: Apache-2.0

// Locks of one's own that have timers, beside themselves: whole calls cannot show what a timer does
// between them.
#include <array>

#include "app/command_test.hpp"
#include "model/virtual_time.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

// A lock whose timer takes it away, as a step of the background or when its time is over. The wrong
// one with a clock grants everything; without a clock the timer, which may fire at any moment,
// would explain that, so the wrong one refuses everything.
template <bool kHasClock, bool kIsWrong = false>
struct TimedLock : BasicImplementation<> {
    static constexpr Instant kTicks = 2;
    static constexpr std::uint32_t kFeatures = kHasCapacity;
    static constexpr Traits kTraits{.clock = true};
    struct Shared {
        Instant now;
        Instant until;  // 0: free
    };
    struct Record {
        std::uint8_t has_it;
    };
    struct Call {
        std::uint8_t releases;
    };

    [[nodiscard]] static Shared initial_shared() { return {kBeginning, 0}; }
    static void begin(const Operation& operation, Call& call) {
        call.releases = operation.verb == Verb::kRelease ? 1 : 0;
    }
    static Outcome step(Shared& shared, Record& record, Call& call, const Operation&, Event&) {
        if (call.releases != 0) {
            shared.until = record.has_it != 0 ? Instant{0} : shared.until;
            record.has_it = 0;
            return Outcome::kReleased;
        }
        const bool refuses = kIsWrong ? !kHasClock : shared.until != 0;
        if (refuses) {
            return Outcome::kRefused;
        }
        shared.until = static_cast<Instant>(shared.now + kTicks);
        record.has_it = 1;
        return Outcome::kAcquired;
    }
    static void background(const Shared& shared, Records<const Record>, ActionList& out) {
        if (shared.until == 0) {
            return;
        }
        if (kHasClock) {
            NextStop stop(shared.now);
            stop.at(shared.until);
            stop.offer(out);
        } else {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    static void apply_background(Shared& shared, Records<Record> records, Action action, Event&) {
        if (action.kind == ActionKind::kTime) {
            shared.now = action.argument;
        }
        shared.until = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].has_it = 0;
        }
    }
    static void observe(const Shared& shared, Records<const Record>, Observation& out) {
        out.now = static_cast<decltype(out.now)>(shared.now - kBeginning);
    }
    static std::string describe_step(const Shared&, const Record&, const Call& call,
                                     const Operation&) {
        return call.releases != 0 ? "release" : "take";
    }
    static std::string describe_background(const Shared&, Records<const Record>, Action) {
        return "timer";
    }
    static std::string show(const Shared& shared) { return shared.until != 0 ? "taken" : "free"; }
};

Registry timed_locks() {
    Registry registry = shipped_systems();
    register_lock(registry, {"own_timer", "right", "a timer"}, TimedLock<false>());
    register_lock(registry, {"own_timer", "wrong", "refuses all"}, TimedLock<false, true>());
    register_lock(registry, {"own_clock", "right", "a clock"}, TimedLock<true>());
    register_lock(registry, {"own_clock", "wrong", "grants all"}, TimedLock<true, true>());
    register_lock(registry, {"other_clock", "right", "a clock"}, TimedLock<true>());
    register_lock(registry, {"made_timer", "right", "made from the scenario"},
                  [](const Scenario&) { return TimedLock<false>(); });
    return registry;
}

class AgainstTimers : public WithFiles {
  protected:
    Ran compared(const std::string& system, const std::string& variant,
                 const std::string& reference) {
        static const Registry kRegistry = timed_locks();
        const std::string file = write(system + variant + ".json",
                                       R"({"version": 1, "system": ")" + system +
                                           R"(", "variant": ")" + variant + R"(", "callers": [
            {"name": "A", "count": 2, "repeat": 2, "script": [
                {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})");
        return run(kRegistry, {"validate", "--against", reference, "--schedules", "200", file});
    }
};

TEST_F(AgainstTimers, ALockWithATimerEqualsItself) {
    for (const char* system : {"own_timer", "own_clock"}) {
        const Ran ran = compared(system, "right", std::string(system) + "/right");
        EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "verdict: equal; 200 schedules: 200 equal")) << ran.out;
    }
}

TEST_F(AgainstTimers, ALockThatGrantsWhatItsTimerHasNotFreedIsLooser) {
    const Ran ran = compared("own_clock", "wrong", "own_clock/right");
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: looser")) << ran.out;
}

TEST_F(AgainstTimers, ALockThatRefusesWhatIsFreeIsStricter) {
    const Ran ran = compared("own_timer", "wrong", "own_timer/right");
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: stricter")) << ran.out;
}

TEST_F(AgainstTimers, ClocksThatCannotFollowEachOtherAreRefusedWithTheReason) {
    const Ran two = compared("other_clock", "right", "own_clock/right");
    EXPECT_EQ(kExitInput, two.exit_code) << two.out;
    expect_one_line(two, "scripts of the reference cannot sleep");
    for (const auto& [candidate, reference] :
         {std::pair{"own_clock", "own_timer/right"}, std::pair{"own_timer", "own_clock/right"}}) {
        const Ran one = compared(candidate, "right", reference);
        EXPECT_EQ(kExitInput, one.exit_code) << one.out;
        expect_one_line(one, "a system with a clock can be compared with another that has one");
    }
}

// Several places, and resizes, are what any lock can be asked; of the rest it hears only where it
// is made from the scenario.
TEST(OwnLocks, know_the_keys_of_the_format_that_they_can_hear_of) {
    const Registry registry = timed_locks();
    const auto answer = [&](const std::string& system, const std::string& parameters) {
        const auto parsed = parse_scenario(R"({"version": 1, "system": ")" + system +
                                               R"(", "variant": "right", "view": 1,
                "resizes": [2], "parameters": {)" +
                                               parameters + R"(}, "callers": [{"script": [
                {"acquire": {"key": "db", "max_per": 2, "buckets": "current"}}]}]})",
                                           "x.json");
        const MadeRunner made = registry.make(std::get<Scenario>(parsed));
        const auto* error = std::get_if<InputError>(&made);
        return error == nullptr ? "accepted" : error->text();
    };
    constexpr const char* kManager = R"("manager": "none", "table": {"warm": 1})";
    EXPECT_EQ("accepted", answer("own_timer", ""));
    EXPECT_EQ("accepted", answer("made_timer", kManager));
    EXPECT_EQ("accepted", answer("made_timer", R"("repairs": ["one"])"));
    EXPECT_EQ(
        "x.json: /parameters/manager: system \"own_timer\" makes nothing of \"manager\"; "
        "leave it out",
        answer("own_timer", kManager));
}

}  // namespace
}  // namespace lockkeeper
