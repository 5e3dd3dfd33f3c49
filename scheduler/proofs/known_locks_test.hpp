// SPDX-License-Identifier: Apache-2.0

// The smallest locks, written in the contract of implementations, and the decision about a lock,
// for the tests of this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/erased_runner.hpp"
#include "scheduler/proofs/decide.hpp"
#include "scheduler/proofs/proof_scopes_test.hpp"

namespace lockkeeper::testing_proofs {

using EightCallers = WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>;

// One word, a label for each step; the sentences that reports need.
struct SmallLock : BasicImplementation<EightCallers> {
    static constexpr Traits kTraits{.no_background = true, .by_record = true};
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
    void observe(const Shared& shared, Observation& out) const {
        out.keys[0].counters = {shared.word};
        out.keys[0].counted_least = out.keys[0].counted_most = shared.word;
    }
    // Whatever parts a lock has that is made of this one.
    template <class SharedPart, class RecordPart, class CallPart>
    [[nodiscard]] std::string describe_step(const SharedPart&, const RecordPart&,
                                            const CallPart& call, const Operation&) const {
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

template <class Lock>
[[nodiscard]] proofs::Decision decided(const Lock& lock, const std::vector<const Property*>& check,
                                       std::uint16_t capacity = 1, bool crash = false,
                                       std::uint16_t places = 1) {
    const WorldConfig callers = callers_seeing({{capacity, places}}, crash);
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

[[nodiscard]] inline std::vector<const Property*> only(const char* name) {
    return {find_property(name)};
}

// A proof by a search that judges nothing.
template <class Lock>
[[nodiscard]] std::optional<proofs::Certificate> unjudged(const Lock& lock, const char* property,
                                                          proofs::Way way, View view,
                                                          bool crash = false) {
    const Subject<Lock> subject{lock, callers_seeing({view}, crash)};
    proofs::ProofAttempt made =
        prove(subject,
              {.check = only(property), .ways = {way}, .bug = proofs::SearchBug::kJudgesNothing});
    EXPECT_TRUE(made.certificate) << made.why_not;
    return made.certificate;
}
// A planted bug: the search does not hear what everybody hears.
template <class Lock>
void expect_refused_without_hearing(const Lock& lock) {
    const Subject<Lock> subject{lock, callers_seeing({{1, 1}}, false)};
    for (const proofs::Way way : {proofs::Way::kCountsAtOnce, proofs::Way::kCountsLater}) {
        const proofs::ProofAttempt made = prove(subject, {.check = only("over-allocation"),
                                                          .ways = {way},
                                                          .bug = proofs::SearchBug::kHearsNothing});
        ASSERT_TRUE(made.certificate) << made.why_not;
        EXPECT_NE(proofs::why_refused(*made.certificate, subject.apart()), "");
    }
}
[[nodiscard]] inline LooksFirst taking_at_once() {
    LooksFirst lock;
    lock.at_once = true;
    return lock;
}

}  // namespace lockkeeper::testing_proofs
