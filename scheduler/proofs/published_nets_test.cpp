// SPDX-License-Identifier: Apache-2.0

// Two published benchmarks of coverability, written as locks: a caller is a token of the place that
// has any number of them. Their answer is known ("safe"), and each has a mistake beside it.
// Source: the Petri nets basicME and csm of the tool mist.
#include <gtest/gtest.h>

#include "model/nothing_private.hpp"
#include "scheduler/proofs/known_locks_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

// Nobody knows what is counted; who holds is enough. The first step of a call is taken with it, so
// what may have to wait is a later one.
struct Net : SmallLock {
    static constexpr std::uint8_t kGoesOut = 9;

    void begin(const Operation& operation, Call& call) const {
        call = {operation.verb == Verb::kRelease ? kGoesOut : std::uint8_t{1}, 0};
    }
    template <class Shared>
    void observe(const Shared&, Observation&) const {}
    static constexpr std::uint32_t kFeatures = kHasCapacity;
};

// basicME: two tokens. Who goes in one way takes the first, in the other way the second; both have
// to be there. A caller goes both ways, in turn.
struct BasicMutualExclusion : Net {
    bool asks_for_both = true;
    struct Record {
        std::uint8_t second_way;
    };

    [[nodiscard]] static std::uint8_t token(const Record& record) {
        return record.second_way != 0 ? 2 : 1;
    }
    [[nodiscard]] bool blocked(const Shared& taken, const Record& record, const Call& call) const {
        return call.at == 2 && (taken.word & (asks_for_both ? 3 : token(record))) != 0;
    }
    Outcome step(Shared& taken, Record& record, Call& call, const Operation&, Event&) const {
        if (call.at == 1) {
            call.at = 2;
            return Outcome::kContinues;
        }
        taken.word = static_cast<std::uint8_t>(taken.word ^ token(record));
        if (call.at == 2) {
            return Outcome::kAcquired;
        }
        record.second_way ^= 1U;
        return Outcome::kReleased;
    }
};

// csm, the central server: it takes what is served from the clients, or that nobody is, and gives
// it back in two steps. A client comes again at once, or by a detour that one of them can be on.
struct CentralServer : NothingPrivate<Net> {
    static constexpr Traits kTraits{.local_background = true, .by_record = true};
    bool forgets_whom_it_serves = false;
    static constexpr std::uint8_t kNobody = 0;
    static constexpr std::uint8_t kSomebody = 1;
    static constexpr std::uint8_t kNobodyTaken = 2;
    static constexpr std::uint8_t kSomebodyTaken = 3;
    struct Shared {
        std::uint8_t served;
        std::uint8_t server;  // which step is next
        std::uint8_t detour;
    };
    struct Record {
        std::uint8_t goes_round;
    };

    [[nodiscard]] Shared initial_shared() const { return {}; }
    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return (call.at == 2 && shared.detour != 0) || (call.at == 4 && shared.served != kNobody) ||
               (call.at == kGoesOut + 1 && shared.served != kSomebody);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation&, Event&) const {
        switch (call.at) {
            case 1:
                call.at = record.goes_round != 0 ? 2 : 4;
                record.goes_round ^= 1U;
                return Outcome::kContinues;
            case 2:
            case 3:
                shared.detour ^= 1U;
                ++call.at;
                return Outcome::kContinues;
            case 4: shared.served = kSomebody; return Outcome::kAcquired;
            case kGoesOut: ++call.at; return Outcome::kContinues;
            default: shared.served = kNobody; return Outcome::kReleased;
        }
    }
    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    void background_elsewhere(const Shared&, ActionList& out) const {
        out.add({0, ActionKind::kBackground, 0});
    }
    [[nodiscard]] bool acts_elsewhere(const Shared&) const { return true; }
    [[nodiscard]] static bool is_elsewhere(Action) { return true; }
    using SmallLock::apply_background;
    bool apply_background(Shared& shared, Action, Event&) const {
        if (shared.server == 1) {
            shared.served = shared.served == kNobody ? kNobodyTaken : kSomebodyTaken;
        } else if (shared.server == 3) {
            const bool is_somebody = shared.served == kSomebodyTaken && !forgets_whom_it_serves;
            shared.served = is_somebody ? kSomebody : kNobody;
        }
        shared.server = static_cast<std::uint8_t>((shared.server + 1) % 4);
        return true;
    }
    void hear(const Shared&, Record&) const {}
    [[nodiscard]] bool idle(const Shared& shared) const { return shared.server == 0; }
    [[nodiscard]] bool idle(const Shared&, const Record&) const { return true; }
    [[nodiscard]] std::string show(const Shared& shared) const {
        return std::to_string(shared.served) + " " + std::to_string(shared.server);
    }
};

TEST(PublishedNetsTest, BasicMutualExclusionIsSafeWhereBothTokensHaveToBeThere) {
    BasicMutualExclusion net;
    const proofs::Decision safe = decided(net, only("over-allocation"));
    EXPECT_TRUE(safe.proved) << safe.undecided;
    net.asks_for_both = false;
    EXPECT_EQ(decided(net, only("over-allocation")).violated, std::vector<std::size_t>{2});
}

TEST(PublishedNetsTest, TheCentralServerServesOneClientUnlessItForgetsWhom) {
    CentralServer net;
    const proofs::Decision safe = decided(net, only("over-allocation"));
    EXPECT_TRUE(safe.proved) << safe.undecided;
    net.forgets_whom_it_serves = true;
    EXPECT_EQ(decided(net, only("over-allocation")).violated, std::vector<std::size_t>{2});
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
