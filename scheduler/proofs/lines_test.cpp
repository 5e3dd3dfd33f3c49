// SPDX-License-Identifier: Apache-2.0

// Servers whose callers wait in line, first in, first out: the record of a caller has its place as
// a number. When the line moves, everybody hears of it and steps forward. A full line refuses
// whoever comes. Some callers give up while they wait, and all behind them move up.
#include <gtest/gtest.h>

#include "model/nothing_private.hpp"
#include "scheduler/proofs/known_locks_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

struct ServesInLine : NothingPrivate<SmallLock> {
    static constexpr Traits kTraits{.local_background = true, .by_record = true};
    static constexpr std::uint32_t kFeatures = kHasCapacity;
    std::uint8_t line_ends_at = 3;
    bool is_free_while_it_is_handed_over = false;
    bool all_move_up = false;  // also those before whoever has left

    enum At : std::uint8_t { kAsks = 1, kWaits, kReleases, kHandsOver };
    struct Shared {
        std::uint8_t taken;
        std::uint8_t line;   // so many places are given out
        std::uint8_t moves;  // the line is to move, from `gap` on
        std::uint8_t gap;    // the place that nobody has; 0: the lock's own, it is handed over
    };
    struct Record {
        std::uint8_t place;  // 0: in no line
        std::uint8_t gave_up;
    };

    [[nodiscard]] Shared initial_shared() const { return {}; }
    void begin(const Operation& operation, Call& call) const {
        call = {operation.verb == Verb::kRelease ? kReleases : kAsks, 0};
    }
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return (call.at == kWaits && record.place != 0) ||
               (call.at == kHandsOver && shared.moves != 0);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation&, Event&) const {
        switch (call.at) {
            case kAsks: return ask(shared, record, call);
            case kWaits:
                return std::exchange(record.gave_up, std::uint8_t{0}) != 0 ? Outcome::kRefused
                                                                           : Outcome::kAcquired;
            case kReleases: call.at = kHandsOver; return Outcome::kContinues;
            default: break;
        }
        const bool somebody_waits = shared.line != 0;
        shared.taken = somebody_waits && !is_free_while_it_is_handed_over ? 1 : 0;
        shared.moves = somebody_waits ? 1 : 0;
        shared.gap = 0;
        return Outcome::kReleased;
    }
    Outcome ask(Shared& shared, Record& record, Call& call) const {
        if (shared.taken == 0) {
            shared.taken = 1;
            return Outcome::kAcquired;
        }
        if (shared.line == line_ends_at) {
            return Outcome::kRefused;
        }
        record.place = ++shared.line;
        call.at = kWaits;
        return Outcome::kContinues;
    }

    // A waiting caller may give up. Its place is empty until the line has moved.
    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const {
        if (record.place != 0 && shared.moves == 0) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground, 1});
        }
    }
    void apply_background(Shared& shared, Record& record, Action, Event&) const {
        shared.moves = 1;
        shared.gap = std::exchange(record.place, std::uint8_t{0});
        record.gave_up = 1;
    }
    // The servers move the line.
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        if (acts_elsewhere(shared)) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const Shared& shared) const { return shared.moves != 0; }
    [[nodiscard]] static bool is_elsewhere(Action action) { return action.argument == 0; }
    bool apply_background(Shared& shared, Action, Event&) const {
        shared.moves = 0;
        shared.taken = 1;
        --shared.line;
        return true;
    }
    void hear(const Shared& shared, Record& record) const {
        if (record.place > (all_move_up ? 0 : shared.gap)) {
            --record.place;  // from the first place: the lock is its own
        }
    }
    [[nodiscard]] bool idle(const Shared& shared) const { return shared.moves == 0; }
    [[nodiscard]] bool idle(const Shared&, const Record&) const { return true; }
    void observe(const Shared&, Observation&) const {}
    [[nodiscard]] std::string show(const Shared& shared) const {
        return std::to_string(shared.taken) + " " + std::to_string(shared.line);
    }
};

// The line is a number alone: when the lock is handed over, anybody who waits takes it.
struct ServesAnybody : SmallLock {
    static constexpr std::uint32_t kFeatures = kHasCapacity;
    bool looks_first = false;  // and takes it in a step of its own
    enum At : std::uint8_t { kAsks = 1, kWaits, kTakes, kReleases };

    void begin(const Operation& operation, Call& call) const {
        call = {operation.verb == Verb::kRelease ? kReleases : kAsks, 0};
    }
    // `word`: 1, it is taken; 2, it is handed over. `other`: so many wait.
    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return call.at == kWaits && shared.word != 2;
    }
    Outcome step(Shared& shared, Record&, Call& call, const Operation&, Event&) const {
        if (call.at == kReleases) {
            shared.word = shared.other != 0 ? 2 : 0;
            return Outcome::kReleased;
        }
        if (call.at == kAsks && shared.word != 0) {
            if (shared.other == 3) {
                return Outcome::kRefused;
            }
            ++shared.other;
            call.at = kWaits;
            return Outcome::kContinues;
        }
        if (call.at == kWaits && looks_first) {
            call.at = kTakes;
            return Outcome::kContinues;
        }
        shared.other = static_cast<std::uint8_t>(shared.other - (call.at == kAsks ? 0 : 1));
        shared.word = 1;
        return Outcome::kAcquired;
    }
    void observe(const Shared&, Observation&) const {}
};

TEST(LinesTest, OneAtATimeIsServedForEveryNumberOfCallersAndEveryEndOfTheLine) {
    for (std::uint8_t end = 0; end <= 3; ++end) {
        ServesInLine lock;
        lock.line_ends_at = end;
        const proofs::Decision decision = decided(lock, only("over-allocation"));
        EXPECT_TRUE(decision.proved) << int{end} << ": " << decision.undecided;
    }
}

TEST(LinesTest, ALockThatIsFreeWhileItIsHandedOverIsTakenByTwo) {
    ServesInLine lock;
    lock.line_ends_at = 1;
    lock.is_free_while_it_is_handed_over = true;
    EXPECT_EQ(decided(lock, only("over-allocation")).violated, std::vector<std::size_t>{2});
}

TEST(LinesTest, WhereAllMoveUpWhenOneHasLeftTheFirstIsServedBesideTheHolder) {
    ServesInLine lock;
    lock.all_move_up = true;
    EXPECT_EQ(decided(lock, only("over-allocation")).violated, std::vector<std::size_t>{3});
    lock.line_ends_at = 1;  // nobody waits before whoever leaves
    const proofs::Decision short_line = decided(lock, only("over-allocation"));
    EXPECT_TRUE(short_line.proved) << short_line.undecided;
}

TEST(LinesTest, ALineThatIsOnlyCountedServesOneAtATime) {
    ServesAnybody lock;
    const proofs::Decision decision = decided(lock, only("over-allocation"));
    EXPECT_TRUE(decision.proved) << decision.undecided;
    lock.looks_first = true;
    EXPECT_EQ(decided(lock, only("over-allocation")).violated, std::vector<std::size_t>{2});
}

TEST(LinesTest, AProofByASearchThatDoesNotHearThatTheLineMovesIsRefused) {
    ServesInLine lock;
    lock.all_move_up = true;
    expect_refused_without_hearing(lock);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
