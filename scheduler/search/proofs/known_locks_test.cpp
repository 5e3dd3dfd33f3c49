// SPDX-License-Identifier: Apache-2.0

// Locks whose answer is known, written in the contract of implementations; and systems that are no
// replicated ones, of which nothing may be proved.
#include <gtest/gtest.h>

#include "scheduler/erased_runner.hpp"
#include "scheduler/search/proofs/decide.hpp"
#include "scheduler/search/proofs/proof_scopes_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using EightCallers = WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>;

// One word, a label for each step; the sentences that reports need.
struct SmallLock : BasicImplementation<EightCallers> {
    struct Shared {
        std::uint8_t word;
        std::uint8_t other;
    };
    struct Call {
        std::uint8_t at;
        std::uint8_t seen;
    };
    [[nodiscard]] Shared initial_shared() const { return {}; }
    void begin(const Operation&, Call& call) const { call = {1, 0}; }
    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        out.keys[0].counters = {shared.word};
        out.keys[0].counted_least = out.keys[0].counted_most = shared.word;
    }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call& call,
                                            const Operation&) const {
        return "step " + std::to_string(call.at);
    }
    [[nodiscard]] std::string show(const Shared& shared) const {
        return std::to_string(shared.word) + " " + std::to_string(shared.other);
    }
};

// Looks, and takes in a second step: two callers may both have looked before. `at_once` repairs it.
struct LooksFirst : SmallLock {
    bool at_once = false;

    Outcome step(Shared& shared, Record&, Call& call, const Operation& operation, Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared.word = 0;
            return Outcome::kReleased;
        }
        if (call.at == 1 && shared.word != 0) {
            return Outcome::kRefused;
        }
        if (call.at == 1 && !at_once) {
            call.at = 2;
            return Outcome::kContinues;
        }
        shared.word = 1;
        return Outcome::kAcquired;
    }
};

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
    void observe(const Shared&, Records<const Record>, Observation&) const {}
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

// --- that are no replicated systems --------------------------------------------------------------

// What the servers do in the background concerns everybody.
struct Broadcast : LooksFirst {
    struct Record {
        std::uint8_t told;
    };
    using LooksFirst::step;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared.word = 0;
            return Outcome::kReleased;
        }
        if (shared.word != 0) {
            return Outcome::kRefused;
        }
        shared.word = 1;
        shared.other = 1;
        record.told = 1;
        call.at = 1;
        return Outcome::kAcquired;
    }
    void background(const Shared& shared, Records<const Record>, ActionList& out) const {
        if (shared.other != 0) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    void apply_background(Shared& shared, Records<Record> records, Action, Event&) const {
        shared.other = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].told = 0;
        }
    }
    void observe(const Shared&, Records<const Record>, Observation&) const {}
    static constexpr std::uint32_t kFeatures = kHasCapacity;
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call&,
                                            const Operation&) const {
        return "step";
    }
};

// A background step of one caller that needs another one to be somewhere.
struct NeedsAnother : Broadcast {
    void background(const Shared&, Records<const Record> records, ActionList& out) const {
        std::size_t told = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            told += records[i].told;
        }
        for (std::size_t i = 0; i < records.size() && told >= 2; ++i) {
            out.add({static_cast<std::uint8_t>(i), ActionKind::kBackground, 0});
        }
    }
    void apply_background(Shared& shared, Records<Record> records, Action action, Event&) const {
        shared.word = 0;
        records[action.actor].told = 0;
    }
};

// Its step is handed the records of all.
struct StepsAmongAll : SmallLock {
    Outcome step(Shared& shared, Records<Record>, std::size_t, Call&, const Operation& operation,
                 Event&) const {
        const bool is_full = operation.verb == Verb::kAcquire && shared.word != 0;
        shared.word = operation.verb == Verb::kAcquire ? 1 : 0;
        return is_full                            ? Outcome::kRefused
               : operation.verb == Verb::kAcquire ? Outcome::kAcquired
                                                  : Outcome::kReleased;
    }
};

// Nobody is at rest while somebody has nothing to do.
struct RestsOnlyAlone : LooksFirst {
    [[nodiscard]] bool idle(const Shared&, Records<const Record> records) const {
        return records.size() == 1;
    }
};

template <class Lock>
proofs::Decision decided(const Lock& lock, const std::vector<const Property*>& check,
                         std::uint16_t capacity = 1, bool crash = false) {
    const WorldConfig callers = callers_seeing({{capacity, 1}}, crash);
    const Subject<Lock> subject{lock, callers};
    const auto explore = [&](const std::vector<std::size_t>& counts) {
        const WorldConfig world = proofs::looping_world(callers, counts, false);
        ExploreOptions options;
        options.check = check;
        options.counting = Counting::kOff;
        const ExploreResult result = make_erased_runner(ErasedSystem(World<Lock>(lock, world)),
                                                        MakeWalker(), world, Lock::kFeatures)
                                         ->explore(options);
        return result.violations.empty() ? proofs::Scope::kPassed : proofs::Scope::kViolated;
    };
    return proofs::decide({1, explore, [&] { return prove(subject, {.check = check}); },
                           [&](const proofs::Certificate& proof) {
                               return proofs::why_refused(proof, subject.apart());
                           },
                           6, 1});
}

std::vector<const Property*> only(const char* name) { return {find_property(name)}; }

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
    lock.tickets = 200;  // nobody explores 201 callers
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

TEST(NoReplicatedSystemTest, IsNeverProvedAndTheReasonNamesTheStep) {
    Broadcast broadcast;
    const proofs::ProofAttempt told =
        prove(Subject<Broadcast>{broadcast, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(told.certificate);
    EXPECT_NE(told.why_not.find("another caller"), std::string::npos) << told.why_not;
    const proofs::ProofAttempt needs =
        prove(Subject<NeedsAnother>{{}, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(needs.certificate);
    EXPECT_NE(needs.why_not.find("another caller"), std::string::npos) << needs.why_not;
    const proofs::ProofAttempt all =
        prove(Subject<StepsAmongAll>{{}, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(all.certificate);
    EXPECT_NE(all.why_not.find("records of all"), std::string::npos) << all.why_not;
}

// The contract hands no number to a step, but for the event in which it is noted.
struct FavoursTheSecond : LooksFirst {
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        if (event.caller == 1 && operation.verb == Verb::kAcquire) {
            return Outcome::kAcquired;
        }
        return LooksFirst::step(shared, record, call, operation, event);
    }
};

TEST(NoReplicatedSystemTest, ACallersNumberMakesADifferenceThatTheCheckerSees) {
    const WorldConfig callers = callers_seeing({{1, 1}}, false);
    const auto is_same = [&](const auto& apart) {
        return apart.same_in_every_place(apart.initial_shared(), apart.initial_local(0));
    };
    EXPECT_TRUE(is_same(Subject<LooksFirst>{{}, callers}.apart()));
    EXPECT_FALSE(is_same(Subject<FavoursTheSecond>{{}, callers}.apart()));
}

TEST(NoReplicatedSystemTest, WhatRestsOnlyWithoutAbsentCallersIsNotProved) {
    const proofs::ProofAttempt made =
        prove(Subject<RestsOnlyAlone>{{}, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(made.certificate);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
