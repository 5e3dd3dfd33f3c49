// SPDX-License-Identifier: Apache-2.0

// A lock that declares its own types must keep the defaults of BasicImplementation. Mostly checked
// by the compiler.
#include <gtest/gtest.h>

#include "model/walk_test.hpp"
#include "model/world.hpp"

namespace lockkeeper::testing_model {
namespace {

// Only what must be written, and types of its own for everything that may have one.
struct OwnTypes : BasicImplementation<WorldSize<3, 2, std::uint16_t, std::uint16_t, 2>> {
    enum class At : std::uint16_t { kNowhere, kTake, kFree };
    struct Record {
        std::uint16_t taken_by_me;
    };
    struct Shared {
        std::array<std::uint16_t, Size::kKeys> taken;
    };
    struct Call {
        At at;
    };
    struct Event {};  // names of the contract that mean something else here
    struct Action {};

    [[nodiscard]] Shared initial_shared() const { return {}; }
    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kTake : At::kFree;
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 lockkeeper::Event&) const {
        std::uint16_t& word = shared.taken[operation.key];
        if (call.at == At::kFree) {
            word = 0;
            record.taken_by_me = 0;
            return Outcome::kReleased;
        }
        if (word != 0) {
            return Outcome::kRefused;
        }
        word = 1;
        record.taken_by_me = 1;
        return Outcome::kAcquired;
    }
    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            out.keys[key].counters = {shared.taken[key]};
        }
    }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call&,
                                            const Operation&) const {
        return "step";
    }
    [[nodiscard]] std::string show(const Shared&) const { return ""; }
};
static_assert(Implementation<OwnTypes>);
static_assert(System<World<OwnTypes>>);

struct OwnSize : OwnTypes {
    using Size = WorldSize<2, 1, std::uint16_t, std::uint16_t, 1>;
    struct Record {
        std::array<std::uint16_t, 4> letters;
    };
    Outcome step(Shared&, Record&, Call&, const Operation&, lockkeeper::Event&) const {
        return Outcome::kAcquired;
    }
    void observe(const Shared&, Records<const Record>, Observation&) const {}
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call&,
                                            const Operation&) const {
        return "";
    }
};
static_assert(Implementation<OwnSize>);

// World asks acts_elsewhere of nobody who has no background, and takes what is_private returns for
// a bool.
struct NoBackground : OwnSize {
    static constexpr Traits kTraits{.local_background = true, .no_background = true};
    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    void background_elsewhere(const Shared&, ActionList&) const {}
    template <class CallOrAction>
    [[nodiscard]] int is_private(const Shared&, const Record&, const CallOrAction&,
                                 std::uint32_t) const {
        return 0;
    }
    [[nodiscard]] std::uint8_t mode(const Shared&) const { return 0; }
};
static_assert(Implementation<NoBackground>);

// Each of the seven (and the eighth, words for nothing) does what it does without a Record.
TEST(OwnRecord, keeps_every_default) {
    const OwnTypes lock;
    OwnTypes::Shared shared = lock.initial_shared();
    OwnTypes::Record record{7};
    const Records<OwnTypes::Record> records(&record, sizeof(record), 1);
    const Records<const OwnTypes::Record> seen(&record, sizeof(record), 1);
    ActionList actions;
    Event event;
    EXPECT_FALSE(lock.blocked(shared, record, OwnTypes::Call{}));
    EXPECT_FALSE(lock.granted(OwnTypes::Call{}));
    EXPECT_TRUE(lock.idle(shared, seen));
    EXPECT_EQ(0U, lock.pending_cleanup(shared, seen, 0));
    EXPECT_EQ("", lock.describe_background(shared, seen, Action{}));
    lock.background(shared, seen, actions);
    EXPECT_EQ(0U, actions.size());
    lock.on_death(shared, record);
    lock.apply_background(shared, records, Action{}, event);
    EXPECT_EQ(7, record.taken_by_me);
}

TEST(OwnRecord, runs_in_a_world) {
    Walk<OwnTypes> walk({}, world_of({{acquire(1, 1), release(1, 1)}, {acquire(1, 1)}}));
    EXPECT_TRUE(walk.step(0).is(kAcquired));
    EXPECT_TRUE(walk.step(1).is(kRefused));
    EXPECT_EQ(1, walk.state().slots[0].record.taken_by_me);
    EXPECT_TRUE(walk.step(0).is(kReleased));
}

}  // namespace
}  // namespace lockkeeper::testing_model
