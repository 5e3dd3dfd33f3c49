// SPDX-License-Identifier: Apache-2.0

// Each check of the checker of certificates, with what it alone refuses.
#include <functional>

#include <gtest/gtest.h>

#include "model/nothing_private.hpp"
#include "scheduler/proofs/known_locks_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using proofs::Certificate;
using proofs::ProofAttempt;
using proofs::Way;

template <class Lock>
std::string refusal(const Lock& lock, const char* property, Way way, View view = {},
                    bool crash = false) {
    const auto proof = unjudged(lock, property, way, view, crash);
    const Subject<Lock> subject{lock, callers_seeing({view}, crash)};
    return proof ? proofs::why_refused(*proof, subject.apart()) : "";
}

const std::vector<Way> kEachWay{Way::kWeights, Way::kCountsAtOnce, Way::kCountsLater};

// The property is promised, and is refused where the lock has the mistake.
template <class Lock>
void expect_refused_where(bool Lock::*mistake, Lock lock, const char* property) {
    for (const Way way : kEachWay) {
        lock.*mistake = false;
        EXPECT_EQ(refusal(lock, property, way), "");
        lock.*mistake = true;
        EXPECT_EQ(refusal(lock, property, way), "it allows " + std::string(property));
    }
}

// Lets in so many callers, whatever the capacity.
struct LetsIn : SmallLock {
    std::uint8_t most = 1;
    Outcome step(Shared& shared, Record&, Call&, const Operation& operation, Event&) const {
        if (operation.verb == Verb::kRelease) {
            --shared.word;
            return Outcome::kReleased;
        }
        if (shared.word >= most) {
            return Outcome::kRefused;
        }
        ++shared.word;
        return Outcome::kAcquired;
    }
};

TEST(EachCheckTest, WhatAllOthersHoldTogetherCounts) {
    LetsIn lock;
    lock.most = 3;
    for (const Way way : kEachWay) {
        EXPECT_EQ(refusal(lock, "over-allocation", way, {2, 1}), "it allows over-allocation");
        EXPECT_EQ(refusal(lock, "over-allocation", way, {3, 1}), "");
    }
}

struct LetsAllIn : LetsIn {
    Outcome step(Shared&, Record&, Call&, const Operation& operation, Event&) const {
        return operation.verb == Verb::kRelease ? Outcome::kReleased : Outcome::kAcquired;
    }
};

TEST(EachCheckTest, WhatHasNoMostIsTooMuch) {
    for (const Way way : kEachWay) {
        EXPECT_EQ(refusal(LetsAllIn{}, "over-allocation", way, {2, 1}),
                  "it allows over-allocation");
    }
}

struct Remembers : LooksFirst {
    static constexpr std::uint32_t kFeatures = kHasCapacity | kShowsGrants;
    struct Record {
        std::uint8_t holds;
    };
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        LooksFirst::Record unused{};
        const Outcome outcome = LooksFirst::step(shared, unused, call, operation, event);
        record.holds = outcome == Outcome::kAcquired   ? 1
                       : outcome == Outcome::kReleased ? 0
                                                       : record.holds;
        return outcome;
    }
    [[nodiscard]] static bool holds(const Shared&, const Record& record, std::size_t) {
        return record.holds != 0;
    }
};

TEST(EachCheckTest, WhatOneOtherHoldsCounts) {
    Remembers lock;
    for (const Way way : kEachWay) {
        EXPECT_EQ(refusal(lock, "belief-overlap", way), "it allows belief-overlap");
    }
    lock.at_once = true;
    EXPECT_EQ(refusal(lock, "belief-overlap", Way::kCountsLater), "");
}

// The servers keep what they would free at a caller's death: too long, if `keeps`.
struct Refers : LooksFirst {
    static constexpr std::uint32_t kFeatures = kHasCapacity | kShowsReferences;
    bool keeps = false;
    struct Record {
        std::uint8_t references;
    };
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        LooksFirst::Record unused{};
        const Outcome outcome = LooksFirst::step(shared, unused, call, operation, event);
        const bool is_gone = outcome == Outcome::kReleased && !keeps;
        record.references = outcome == Outcome::kAcquired ? 1 : is_gone ? 0 : record.references;
        return outcome;
    }
    [[nodiscard]] static std::uint32_t references(const Record& record, std::size_t) {
        return record.references;
    }
};

TEST(EachCheckTest, WhatIsPromisedOfEachCallerAtRestIsJudged) {
    Refers lock;
    lock.at_once = true;
    expect_refused_where(&Refers::keeps, lock, "foreign-reference");
}

TEST(EachCheckTest, WhatIsPromisedOfAllAtRestIsJudged) {
    for (const Way way : kEachWay) {
        EXPECT_EQ(refusal(taking_at_once(), "leak", way), "");
        EXPECT_NE(refusal(taking_at_once(), "leak", way, {}, true), "");
        EXPECT_NE(refusal(LooksFirst{}, "double-release", way), "");
    }
    // A dead caller that nobody gives back for weighs what it took, and holds nothing.
    Remembers remembers;
    remembers.at_once = true;
    EXPECT_EQ(refusal(remembers, "leak", Way::kWeights), "");
    EXPECT_NE(refusal(remembers, "leak", Way::kWeights, {}, true), "");
    // Nobody holds, and something is counted: with nobody else there.
    EXPECT_EQ(refusal(taking_at_once(), "leak", Way::kCountsLater, {}, true), "it allows leak");
}

// The servers die of a second word: a step of nobody's that breaks something.
struct ServersDie : NothingPrivate<LooksFirst> {
    static constexpr Traits kTraits{.local_background = true, .by_record = true};
    static constexpr std::uint32_t kFeatures = kHasCapacity | kShowsManager;
    bool dies = false;
    std::uint8_t steps_of_servers = 1;

    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        if (acts_elsewhere(shared)) {
            out.add({0, ActionKind::kBackground, 0});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const Shared& shared) const {
        return shared.word != 0 && shared.other < steps_of_servers;
    }
    [[nodiscard]] static bool is_elsewhere(Action) { return true; }
    using SmallLock::apply_background;
    bool apply_background(Shared& shared, Action, Event& event) const {
        ++shared.other;
        event.what |= dies ? std::uint32_t{kServersDied} : 0U;
        return false;
    }
};

TEST(EachCheckTest, StepsOfNobodysAreJudgedAndKeepTheWeights) {
    ServersDie lock;
    lock.at_once = true;
    expect_refused_where(&ServersDie::dies, lock, "manager-death");
}

// Takes, and the servers have to confirm it, in two steps, before anybody else's step changes
// anything: to the part between them only steps of nobody's lead, and away from it.
struct Confirms : ServersDie {
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        if (operation.verb == Verb::kRelease && acts_elsewhere(shared)) {
            call.at = 2;
            return Outcome::kContinues;
        }
        if (operation.verb == Verb::kRelease) {
            shared = {};
            return Outcome::kReleased;
        }
        return LooksFirst::step(shared, record, call, operation, event);
    }
    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return call.at == 2 && acts_elsewhere(shared);
    }
};

TEST(EachCheckTest, WeightsOfASharedPartThatOnlyNobodyLeavesAreRefusedIfTheyAreWrong) {
    Confirms lock;
    lock.at_once = true;
    lock.steps_of_servers = 2;
    const Subject<Confirms> subject{lock, callers_seeing({{1, 1}}, false)};
    const ProofAttempt made =
        prove(subject, {.check = only("over-allocation"), .ways = {Way::kWeights}});
    ASSERT_TRUE(made.certificate) << made.why_not;
    EXPECT_EQ(proofs::why_refused(*made.certificate, subject.apart()), "");
    for (std::size_t part = 0; part < made.certificate->shared.size(); ++part) {
        Certificate damaged = *made.certificate;
        ASSERT_FALSE(damaged.shared[part].weights.empty());
        ++damaged.shared[part].weights.front();
        EXPECT_NE(proofs::why_refused(damaged, subject.apart()), "") << part;
    }
}

// --- what is said of the World ------------------------------------------------------------------

// The same steps, but handed the records of all.
struct AmongAll : LooksFirst {
    static constexpr Traits kTraits{};
    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        LooksFirst::observe(shared, out);
    }
};
// The same steps, but nobody is idle while somebody is absent.
struct NeverIdle : LooksFirst {
    [[nodiscard]] bool idle(const Shared&) const { return true; }
    [[nodiscard]] bool idle(const Shared&, const Record& record) const { return record.unused > 7; }
};

// Nobody is asked what has to hold at rest.
TEST(EachCheckTest, AProofInWhichNothingIsEverAtRestSaysSo) {
    const auto has_rest = [](const auto& lock) {
        const Subject<std::decay_t<decltype(lock)>> subject{lock, callers_seeing({{1, 1}}, false)};
        const auto made = prove(subject, {.check = only("negative-counter")});
        EXPECT_TRUE(made.certificate) << made.why_not;
        proofs::ProofWatch watch;
        return made.certificate &&
               proofs::check_certificate(*made.certificate, subject.apart(), watch).has_rest;
    };
    NeverIdle never;
    never.at_once = true;
    EXPECT_FALSE(has_rest(never));
    EXPECT_TRUE(has_rest(taking_at_once()));
}

TEST(EachCheckTest, AProofIsNoneOfALockThatIsHandedAllRecordsOrReckonsWithTheAbsent) {
    const WorldConfig callers = callers_seeing({{1, 1}}, false);
    const auto proof = unjudged(taking_at_once(), "over-allocation", Way::kWeights, {});
    ASSERT_TRUE(proof);
    AmongAll among;
    among.at_once = true;
    EXPECT_EQ(proofs::why_refused(*proof, Subject<AmongAll>{among, callers}.apart()),
              "something is handed the records of all");
    NeverIdle never;
    never.at_once = true;
    const auto mixed = [&] {
        const auto world = [&](const auto& lock, const WorldConfig& config) {
            return ErasedSystem(World<std::decay_t<decltype(lock)>>(lock, config));
        };
        return proofs::ReplicatedWorld(world(never, proofs::world_to_take_apart(callers)),
                                       world(taking_at_once(), proofs::one_of_each(callers)),
                                       world(never, proofs::one_is_absent(callers)));
    };
    EXPECT_EQ(proofs::why_refused(*proof, mixed()),
              "callers that have nothing to do make a difference");
}

// A lock's maker could let this initial state follow the number of callers.
struct BeginsWith : LooksFirst {
    std::uint8_t first = 0;
    [[nodiscard]] Shared initial_shared() const { return {0, first}; }
};
// The servers do something about everybody, absent or not.
struct ActsForAll : ServersDie {
    void background_of(const Shared&, const Record& record, std::size_t, ActionList& out) const {
        if (record.unused == 0) {
            out.add({0, ActionKind::kBackground, 7});
        }
    }
    [[nodiscard]] static bool is_elsewhere(Action action) { return action.argument != 7; }
    using ServersDie::apply_background;
    void apply_background(Shared&, Record& record, Action, Event&) const { record.unused = 1; }
};

TEST(EachCheckTest, FewCallersBeginAsMoreDoAndTheAbsentDoNothing) {
    const WorldConfig callers = callers_seeing({{1, 1}}, false);
    const auto apart = [&](std::uint8_t few) {
        const auto world = [&](std::uint8_t first, const WorldConfig& config) {
            BeginsWith lock;
            lock.first = first;
            return ErasedSystem(World<BeginsWith>(lock, config));
        };
        return proofs::ReplicatedWorld(world(0, proofs::world_to_take_apart(callers)),
                                       world(few, proofs::one_of_each(callers)),
                                       world(0, proofs::one_is_absent(callers)));
    };
    EXPECT_NO_THROW(static_cast<void>(apart(0)));
    EXPECT_THROW(static_cast<void>(apart(1)), proofs::DoesNotFit);
    const auto acting = Subject<ActsForAll>{{}, callers}.apart();
    EXPECT_THROW(static_cast<void>(acting.steps_of_nobody(acting.initial_shared())),
                 proofs::DoesNotFit);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
