// SPDX-License-Identifier: Apache-2.0

// Locks whose answer is known.
#include "scheduler/proofs/known_locks_test.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::testing_proofs {
namespace {

// A ticket lock whose tickets begin again after so many: one caller more, and two have the same.
struct Tickets : SmallLock {
    std::uint8_t tickets = 2;

    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return call.at == 2 && call.seen != shared.other;
    }
    Outcome step(Shared& shared, Record&, Call& call, const Operation& operation, Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared.other = static_cast<std::uint8_t>((shared.other + 1) % tickets);
            return Outcome::kReleased;
        }
        if (call.at == 1) {
            call = {2, shared.word};
            shared.word = static_cast<std::uint8_t>((shared.word + 1) % tickets);
            return Outcome::kContinues;
        }
        return Outcome::kAcquired;
    }
    void observe(const Shared&, Observation&) const {}
    static constexpr std::uint32_t kFeatures = kHasCapacity;
};

// Two jugs of three and five: a caller pours what it can, and dies when the larger one holds four.
struct Jugs : SmallLock {
    std::uint8_t large = 5;
    std::uint8_t fatal = 4;

    Outcome step(Shared& shared, Record&, Call& call, const Operation& operation, Event&) const {
        constexpr std::uint8_t kSmall = 3;
        if (operation.verb == Verb::kAcquire) {
            // Each call pours in its own way, by what it finds.
            if (shared.word == 0) {
                shared.word = kSmall;
            } else {
                const auto poured =
                    static_cast<std::uint8_t>(std::min<int>(shared.word, large - shared.other));
                shared.word = static_cast<std::uint8_t>(shared.word - poured);
                shared.other = static_cast<std::uint8_t>(shared.other + poured);
                if (shared.other == large && call.at == 1) {
                    call.at = 2;
                    return Outcome::kContinues;
                }
                if (call.at == 2) {
                    shared.other = 0;
                }
            }
            return shared.other == fatal ? Outcome::kDied : Outcome::kAcquired;
        }
        return Outcome::kReleased;
    }
    static constexpr std::uint32_t kFeatures = 0;
};

TEST(KnownLocksTest, LookingFirstIsViolatedByTwoCallersAndTakingAtOnceByNone) {
    EXPECT_EQ(decided(LooksFirst{}, only("over-allocation")).violated, std::vector<std::size_t>{2});
    LooksFirst repaired;
    repaired.at_once = true;
    for (const char* property : {"over-allocation", "leak", "double-release"}) {
        const proofs::Decision decision = decided(repaired, only(property));
        EXPECT_TRUE(decision.proved) << property << ": " << decision.undecided;
    }
    EXPECT_EQ(decided(repaired, only("leak"), 1, true).violated, std::vector<std::size_t>{1});
}

// By a search that judges nothing: the checker has to.
template <class Lock>
std::string checked_unjudged(const Lock& lock, const char* property, proofs::Way way) {
    const Subject<Lock> subject{lock, callers_seeing({{1, 1}}, false)};
    const proofs::ProofAttempt made =
        prove(subject,
              {.check = only(property), .ways = {way}, .bug = proofs::SearchBug::kJudgesNothing});
    EXPECT_TRUE(made.certificate) << made.why_not;
    return made.certificate ? proofs::why_refused(*made.certificate, subject.apart()) : "";
}

TEST(KnownLocksTest, WhatTheSearchDoesNotJudgeTheCheckerDoes) {
    for (const proofs::Way way :
         {proofs::Way::kWeights, proofs::Way::kCountsAtOnce, proofs::Way::kCountsLater}) {
        EXPECT_EQ(checked_unjudged(LooksFirst{}, "over-allocation", way),
                  "it allows over-allocation");
        EXPECT_EQ(checked_unjudged(Jugs{}, "caller-death", way), "it allows caller-death");
        LooksFirst repaired;
        repaired.at_once = true;
        EXPECT_EQ(checked_unjudged(repaired, "caller-death", way), "");
    }
}

// A prototype's check of rest refused nothing.
TEST(KnownLocksTest, WhatRestBreaksIsRefusedByTheChecker) {
    for (const proofs::Way way : {proofs::Way::kCountsAtOnce, proofs::Way::kCountsLater}) {
        for (const bool crash : {false, true}) {
            const WorldConfig callers = callers_seeing({{1, 1}}, crash);
            const Subject<LooksFirst> subject{taking_at_once(), callers};
            const auto proof = unjudged(taking_at_once(), "leak", way, {}, crash);
            ASSERT_TRUE(proof);
            EXPECT_EQ(proofs::why_refused(*proof, subject.apart()), crash ? "it allows leak" : "");
        }
    }
}

TEST(KnownLocksTest, TicketsThatBeginAgainAreViolatedByOneCallerMoreThanThereAreTickets) {
    for (std::uint8_t tickets = 1; tickets <= 4; ++tickets) {
        Tickets lock;
        lock.tickets = tickets;
        const proofs::Decision decision = decided(lock, only("over-allocation"));
        ASSERT_TRUE(decision.violated) << decision.undecided;
        EXPECT_EQ(decision.violated->front(), tickets + 1U);
    }
}

TEST(KnownLocksTest, TicketsByTheByteAreNotProved) {
    Tickets lock;
    lock.tickets = 60;  // nobody explores 61 callers
    const proofs::Decision decision = decided(lock, only("over-allocation"));
    EXPECT_FALSE(decision.proved);
    EXPECT_FALSE(decision.violated);
    EXPECT_NE(decision.undecided, "");
}

TEST(KnownLocksTest, JugsReachFourLitresAndNeverSeven) {
    const proofs::Decision four = decided(Jugs{}, only("caller-death"));
    EXPECT_TRUE(four.violated) << four.undecided;
    Jugs never;
    never.fatal = 7;
    const proofs::Decision seven = decided(never, only("caller-death"));
    EXPECT_TRUE(seven.proved) << seven.undecided;
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
