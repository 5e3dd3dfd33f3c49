// SPDX-License-Identifier: Apache-2.0

// Systems that are no replicated ones: nothing may be proved of them.
#include <gtest/gtest.h>

#include "scheduler/proofs/known_locks_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

// The background work of the servers concerns everybody.
struct Broadcast : LooksFirst {
    static constexpr Traits kTraits{};
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
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "tell everybody";
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

// The servers forget the holder when three particular callers are there at once, none of whom
// holds. Each pair of callers is harmless, and hardly any three are these.
struct NeedsThree : LooksFirst {
    static constexpr Traits kTraits{};
    struct Record {
        std::uint8_t refused;  // so often
        std::uint8_t holds;
    };
    static constexpr std::uint8_t kMost = 15;

    Outcome step(Shared& shared, Record& record, Call&, const Operation& operation, Event&) const {
        if (operation.verb == Verb::kRelease) {
            shared.word = 0;
            record.holds = 0;
            return Outcome::kReleased;
        }
        if (shared.word != 0) {
            record.refused = std::min<std::uint8_t>(record.refused + 1, kMost);
            return Outcome::kRefused;
        }
        shared.word = 1;
        record.holds = 1;
        return Outcome::kAcquired;
    }
    [[nodiscard]] static bool are_there(Records<const Record> records) {
        unsigned found = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const unsigned refused = records[i].refused;
            const bool is_one = records[i].holds == 0 && refused >= 4 && refused <= 6;
            found |= is_one ? 1U << refused : 0U;
        }
        return found == 0x70;
    }
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        if (shared.word != 0 && are_there(records)) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    void apply_background(Shared& shared, Records<Record>, Action, Event&) const {
        shared.word = 0;
    }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call&,
                                            const Operation&) const {
        return "step";
    }
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "forget the holder";
    }
    void observe(const Shared&, Records<const Record>, Observation&) const {}
    static constexpr std::uint32_t kFeatures = kHasCapacity;
};

// Its step is handed the records of all.
struct StepsAmongAll : SmallLock {
    static constexpr Traits kTraits{};
    void observe(const Shared&, Records<const Record>, Observation&) const {}
    Outcome step(Shared& shared, Records<Record>, std::size_t, Call&, const Operation& operation,
                 Event&) const {
        const bool is_full = operation.verb == Verb::kAcquire && shared.word != 0;
        shared.word = operation.verb == Verb::kAcquire ? 1 : 0;
        return is_full                            ? Outcome::kRefused
               : operation.verb == Verb::kAcquire ? Outcome::kAcquired
                                                  : Outcome::kReleased;
    }
};

// Nobody is at rest while somebody is absent: whoever comes leaves a mark in its record.
struct NeverRestsWithAbsent : LooksFirst {
    struct Record {
        std::uint8_t came;
    };
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        BasicImplementation<EightCallers>::Record unused{};
        record.came = 1;
        return LooksFirst::step(shared, unused, call, operation, event);
    }
    [[nodiscard]] bool idle(const Shared&) const { return true; }
    [[nodiscard]] bool idle(const Shared&, const Record& record) const { return record.came != 0; }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call&,
                                            const Operation&) const {
        return "step";
    }
};

TEST(NoReplicatedSystemTest, IsNeverProvedAndTheReasonNamesTheStep) {
    Broadcast broadcast;
    const proofs::ProofAttempt told =
        prove(Subject<Broadcast>{broadcast, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(told.certificate);
    EXPECT_EQ(told.why_not, "the step \"tell everybody\" is handed the records of all callers");
    const proofs::ProofAttempt needs =
        prove(Subject<NeedsAnother>{{}, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(needs.certificate);
    EXPECT_NE(needs.why_not.find("records of all"), std::string::npos) << needs.why_not;
    const proofs::ProofAttempt all =
        prove(Subject<StepsAmongAll>{{}, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(all.certificate);
    EXPECT_NE(all.why_not.find("records of all"), std::string::npos) << all.why_not;
}

// The event in which a step is noted has its caller's number, but not while the step is taken.
struct FavoursTheSecond : LooksFirst {
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        if (event.caller == 1 && operation.verb == Verb::kAcquire) {
            return Outcome::kAcquired;
        }
        return LooksFirst::step(shared, record, call, operation, event);
    }
};

TEST(NoReplicatedSystemTest, WhoActsByRecordLearnsNoNumber) {
    FavoursTheSecond lock;
    lock.at_once = true;
    const proofs::Decision decision = decided(lock, only("over-allocation"));
    EXPECT_TRUE(decision.proved) << decision.undecided;
    const World<FavoursTheSecond> two(
        lock, proofs::looping_world(callers_seeing({{1, 1}}, false), {2}, false));
    auto state = two.initial();
    EXPECT_TRUE(two.apply(state, {0, ActionKind::kStep, 0}).is(kAcquired));
    const Event event = two.apply(state, {1, ActionKind::kStep, 0});
    EXPECT_TRUE(event.is(kRefused));
    EXPECT_EQ(event.caller, 1);  // for whoever looks on
}

TEST(NoReplicatedSystemTest, AServerStepThatNeedsThreeParticularCallersIsNotProved) {
    const proofs::ProofAttempt made =
        prove(Subject<NeedsThree>{{}, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(made.certificate);
    EXPECT_NE(made.why_not.find("records of all"), std::string::npos) << made.why_not;
    const proofs::Decision decision = decided(NeedsThree{}, only("over-allocation"));
    EXPECT_FALSE(decision.proved);
    EXPECT_EQ(decision.violated, std::vector<std::size_t>{4});
}

TEST(NoReplicatedSystemTest, WhatRestsOnlyWithoutAbsentCallersIsNotProved) {
    NeverRestsWithAbsent lock;
    lock.at_once = true;
    const proofs::ProofAttempt made =
        prove(Subject<NeverRestsWithAbsent>{lock, callers_seeing({{1, 1}}, false)}, {});
    EXPECT_FALSE(made.certificate);
    EXPECT_NE(made.why_not.find("nothing to do"), std::string::npos) << made.why_not;
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
