// SPDX-License-Identifier: Apache-2.0

// Locks whose answer is known, with steps of nobody's of which everybody hears.
#include <gtest/gtest.h>

#include "model/nothing_private.hpp"
#include "scheduler/proofs/known_locks_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

// A caller that finds the lock taken goes to sleep; a release has the servers wake everybody up. A
// woken caller looks again, or believes that it is its turn.
struct WakesAll : NothingPrivate<LooksFirst> {
    static constexpr Traits kTraits{.local_background = true, .by_record = true};
    bool looks_again = true;
    struct Record {
        std::uint8_t sleeps;
    };

    [[nodiscard]] bool blocked(const Shared&, const Record& record, const Call&) const {
        return record.sleeps != 0;
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared = {0, 1};
            return Outcome::kReleased;
        }
        if (shared.word != 0 && (call.at == 1 || looks_again)) {
            record.sleeps = 1;
            call.at = 2;
            return Outcome::kContinues;
        }
        shared.word = 1;
        return Outcome::kAcquired;
    }
    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        if (acts_elsewhere(shared)) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const Shared& shared) const { return shared.other != 0; }
    [[nodiscard]] static bool is_elsewhere(Action) { return true; }
    using SmallLock::apply_background;
    bool apply_background(Shared& shared, Action, Event&) const {
        shared.other = 0;
        return true;
    }
    void hear(const Shared&, Record& record) const { record.sleeps = 0; }
    [[nodiscard]] bool idle(const Shared& shared) const { return shared.other == 0; }
    [[nodiscard]] bool idle(const Shared&, const Record&) const { return true; }
};

// Virtual time goes on for everybody. A lease ends by the servers' clock; its holder stops using it
// by its own, after so many ticks. It dies when it uses the lease after its end.
struct Ticking : WakesAll {
    static constexpr std::uint8_t kTicks = 3;
    std::uint8_t used_for = kTicks;
    struct Record {
        std::uint8_t left;  // by the holder's clock
    };
    [[nodiscard]] bool blocked(const Shared&, const Record&, const Call&) const { return false; }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event&) const {
        if (operation.verb == Verb::kAcquire && call.at == 1) {
            const bool is_free = shared.word == 0;
            shared.word = is_free ? kTicks : shared.word;
            record.left = is_free ? used_for : std::uint8_t{0};
            call.at = 2;
            return is_free ? Outcome::kContinues : Outcome::kRefused;
        }
        const bool uses = record.left != 0;
        record.left = 0;
        return uses && shared.word == 0 ? Outcome::kDied : Outcome::kRefused;
    }
    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        if (acts_elsewhere(shared)) {
            out.add({0, ActionKind::kTime, 1});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const Shared& shared) const { return shared.word != 0; }
    using SmallLock::apply_background;
    bool apply_background(Shared& shared, Action, Event&) const {
        --shared.word;
        return true;
    }
    void hear(const Shared&, Record& record) const {
        record.left = static_cast<std::uint8_t>(std::max(record.left - 1, 0));
    }
    [[nodiscard]] bool idle(const Shared&) const { return true; }
    [[nodiscard]] bool idle(const Shared&, const Record&) const { return true; }
    static constexpr std::uint32_t kFeatures = 0;
    void observe(const Shared&, Observation&) const {}
};

// A caller that has asked is late until the servers have seen to it; time waits for all of them.
// Once it has gone on, everybody who asks gets the lock.
struct GivesAwayInTime : NothingPrivate<SmallLock> {
    static constexpr Traits kTraits{
        .local_background = true, .by_record = true, .waits_for_the_late = true};
    static constexpr std::uint32_t kFeatures = kHasCapacity;
    struct Record {
        std::uint8_t is_late;
    };

    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event&) const {
        if (operation.verb == Verb::kRelease) {
            return Outcome::kReleased;
        }
        if (call.at == 1) {
            record.is_late = 1;
            call.at = 2;
            return Outcome::kContinues;
        }
        return shared.word != 0 ? Outcome::kAcquired : Outcome::kRefused;
    }
    void background_of(const Shared&, const Record& record, std::size_t, ActionList& out) const {
        if (record.is_late != 0) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    void apply_background(Shared&, Record& record, Action, Event&) const { record.is_late = 0; }
    void background_elsewhere(const Shared&, ActionList& out) const {
        out.add({0, ActionKind::kTime, 1});
    }
    [[nodiscard]] bool acts_elsewhere(const Shared&) const { return true; }
    [[nodiscard]] static bool is_elsewhere(Action) { return false; }
    bool apply_background(Shared& shared, Action, Event&) const {
        shared.word = 1;
        return true;
    }
    [[nodiscard]] bool late(const Shared&, const Record& record) const {
        return record.is_late != 0;
    }
    [[nodiscard]] bool idle(const Shared&) const { return true; }
    [[nodiscard]] bool idle(const Shared&, const Record& record) const {
        return record.is_late == 0;
    }
    void observe(const Shared&, Observation&) const {}
};

TEST(TellingLocksTest, TimeThatHasWaitedForTheLateGoesOn) {
    EXPECT_EQ(decided(GivesAwayInTime(), only("over-allocation")).violated,
              std::vector<std::size_t>{2});
}

// Would be late whenever it has nothing to do, and so would be whoever is absent.
struct LateWithoutWork : GivesAwayInTime {
    [[nodiscard]] bool late(const Shared&, const Record& record) const {
        return record.is_late == 0;
    }
};

TEST(TellingLocksTest, TimeDoesNotWaitForTheAbsent) {
    EXPECT_EQ(decided(LateWithoutWork(), only("over-allocation")).violated,
              std::vector<std::size_t>{2});
    const Subject<LateWithoutWork> subject{{}, callers_seeing({{1, 1}}, false)};
    EXPECT_FALSE(prove(subject, {.check = only("over-allocation")}).certificate);
}

// The lock of a dead holder runs out, and then everybody gets it. `waits`: time waits for the dead
// holder, so no time passes any more.
struct ExpiresAfterADeath : GivesAwayInTime {
    enum class Pings : std::uint8_t { kNever, kInVain, kAndNotes };  // the dead, in the background
    bool waits = false;
    Pings pings = Pings::kNever;

    enum Word : std::uint8_t { kFree, kTaken, kOfTheDead, kRunOut };
    enum Holder : std::uint8_t { kNone, kLate, kHolds };
    using GivesAwayInTime::apply_background;
    Outcome step(Shared& shared, Record& record, Call&, const Operation& operation, Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared.word = record.is_late == kHolds ? std::uint8_t{kFree} : shared.word;
            record = {};
            return Outcome::kReleased;
        }
        if (shared.word == kFree) {
            shared.word = kTaken;
            record.is_late = kHolds;
            return Outcome::kAcquired;
        }
        return shared.word == kRunOut ? Outcome::kAcquired : Outcome::kRefused;
    }
    void on_death(Shared& shared, Record& record) const {
        if (record.is_late == kHolds) {
            shared.word = kOfTheDead;
            record.is_late = waits ? kLate : kNone;
        }
    }
    void background_of(const Shared&, const Record& record, std::size_t, ActionList& out) const {
        if (pings != Pings::kNever && record.is_late == kLate) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    void apply_background(Shared& shared, Record&, Action, Event&) const {
        shared.other = pings == Pings::kAndNotes ? !shared.other : 0;
    }
    [[nodiscard]] bool late(const Shared&, const Record& record) const {
        return record.is_late == kLate;
    }
    bool apply_background(Shared& shared, Action, Event&) const {
        shared.word = shared.word == kOfTheDead ? std::uint8_t{kRunOut} : shared.word;
        return true;
    }
};

void expect_time_stands_still(const proofs::Decision& decision) {
    EXPECT_FALSE(decision.proved);
    EXPECT_NE(decision.undecided.find("time would wait for ever if a caller comes to"),
              std::string::npos)
        << decision.undecided;
}

TEST(TellingLocksTest, TimeThatWaitsForWhomNothingMovesIsNoProof) {
    ExpiresAfterADeath lock;
    EXPECT_EQ(decided(lock, only("over-allocation"), 1, true).violated,
              std::vector<std::size_t>{3});
    lock.waits = true;
    using Pings = ExpiresAfterADeath::Pings;
    for (const Pings pings : {Pings::kNever, Pings::kInVain, Pings::kAndNotes}) {
        lock.pings = pings;
        expect_time_stands_still(decided(lock, only("over-allocation"), 1, true));
    }
}

// Only the death of the holder, which need not come, would end that it is late.
struct LateUntilItDies : ExpiresAfterADeath {
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const Outcome outcome = ExpiresAfterADeath::step(shared, record, call, operation, event);
        record.is_late = record.is_late == kHolds ? std::uint8_t{kLate} : record.is_late;
        return outcome;
    }
    [[nodiscard]] bool blocked(const Shared&, const Record& record, const Call&) const {
        return record.is_late == kLate;
    }
    void on_death(Shared& shared, Record& record) const {
        shared.word = record.is_late == kLate ? std::uint8_t{kFree} : shared.word;
        record = {};
    }
};

TEST(TellingLocksTest, TimeThatWaitsForADeathIsNoProof) {
    expect_time_stands_still(decided(LateUntilItDies(), only("over-allocation"), 1, true));
}

// One place, which a holder gives up by itself. The servers count it, and record no holder.
struct GivesUp : GivesAwayInTime {
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity;
    Outcome step(Shared& shared, Record& record, Call&, const Operation& operation, Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared.word = 0;
            record = {};
            return Outcome::kReleased;
        }
        if (shared.word != 0) {
            return Outcome::kRefused;
        }
        shared.word = record.is_late = 1;
        return Outcome::kAcquired;
    }
    using GivesAwayInTime::apply_background;
    void apply_background(Shared& shared, Record& record, Action, Event& event) const {
        shared.word = record.is_late = 0;
        lose(event, 0, 0);
    }
    bool apply_background(Shared&, Action, Event&) const { return true; }
    void observe(const Shared& shared, Observation& out) const { SmallLock::observe(shared, out); }
};

// It was held for ever, and so "violated by 1": a loss was heard only where holders are recorded.
TEST(TellingLocksTest, AHolderThatIsToldOfALossHoldsNoLongerWhoeverRecordsIt) {
    for (const char* property : {"over-allocation", "leak", "double-release"}) {
        const proofs::Decision decision = decided(GivesUp(), only(property));
        EXPECT_TRUE(decision.proved) << property << ": " << decision.undecided;
    }
}

TEST(TellingLocksTest, AProofByASearchWhereTimeWaitsForWhoMayNotBeThereIsRefused) {
    const Subject<GivesAwayInTime> subject{{}, callers_seeing({{1, 1}}, false)};
    const proofs::ProofAttempt made =
        prove(subject, {.check = only("over-allocation"),
                        .ways = {proofs::Way::kCountsAtOnce},
                        .bug = proofs::SearchBug::kWaitsForWhoMayBeLate});
    ASSERT_TRUE(made.certificate) << made.why_not;
    EXPECT_NE(proofs::why_refused(*made.certificate, subject.apart()), "");
}

TEST(TellingLocksTest, WakingEverybodyIsSafeWhereWhoIsWokenLooksAgain) {
    WakesAll lock;
    lock.at_once = true;
    for (const char* property : {"over-allocation", "leak", "double-release"}) {
        const proofs::Decision decision = decided(lock, only(property));
        EXPECT_TRUE(decision.proved) << property << ": " << decision.undecided;
    }
    lock.looks_again = false;
    EXPECT_EQ(decided(lock, only("over-allocation")).violated, std::vector<std::size_t>{2});
}

TEST(TellingLocksTest, AProofByASearchThatDoesNotHearIsRefused) {
    WakesAll lock;
    lock.at_once = true;
    lock.looks_again = false;
    expect_refused_without_hearing(lock);
}

TEST(TellingLocksTest, ALeaseIsNotUsedAfterItsEndWhereItsHolderStopsInTime) {
    for (std::uint8_t ticks = 1; ticks <= Ticking::kTicks + 2; ++ticks) {
        Ticking lock;
        lock.used_for = ticks;
        const proofs::Decision decision = decided(lock, only("caller-death"));
        EXPECT_EQ(decision.proved.has_value(), ticks <= Ticking::kTicks) << decision.undecided;
        EXPECT_EQ(decision.violated.has_value(), ticks > Ticking::kTicks);
    }
}

// What is left of a lease is a number that goes below nothing while somebody else has one: then it
// is used for ever.
struct CountsBelowNothing : Ticking {
    void hear(const Shared&, Record& record) const { --record.left; }
};

// A prototype had 131,072 sets instead of 4 where a remaining time went below 0.
TEST(TellingLocksTest, WhatIsLeftOfALeaseDoesNotGoBelowNothing) {
    const WorldConfig callers = callers_seeing({{1, 1}}, false);
    const auto made = prove(Subject<Ticking>{{}, callers},
                            {.check = only("caller-death"), .ways = {proofs::Way::kCountsAtOnce}});
    ASSERT_TRUE(made.certificate) << made.why_not;
    EXPECT_EQ(made.sizes.shared, Ticking::kTicks + 1U);
    EXPECT_LT(made.sizes.situations, 20U);
    EXPECT_EQ(decided(CountsBelowNothing(), only("caller-death")).violated,
              std::vector<std::size_t>{2});
    EXPECT_FALSE(prove(Subject<CountsBelowNothing>{{}, callers}, {.check = only("caller-death")})
                     .certificate);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
