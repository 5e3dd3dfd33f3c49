// SPDX-License-Identifier: Apache-2.0

// States are equal exactly when their bytes are: nothing that is over leaves a trace in them, and
// the names of interchangeable callers can be sorted away.
#include <gtest/gtest.h>

#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_model;
using State = World<TestAndSet>::State;

bool same_bytes(const State& left, const State& right) {
    return std::memcmp(&left, &right, sizeof(State)) == 0;
}

WorldConfig for_ever(WorldConfig config) {
    for (CallerConfig& caller : config.callers) {
        caller.repeats_forever = true;
    }
    return config;
}

TEST(WorldBytes, have_no_padding) { EXPECT_EQ(sizeof(State) % 8, 0U); }

TEST(WorldBytes, of_two_initial_states_are_equal) {
    const WorldConfig config = world_of({{acquire()}, {acquire()}});
    EXPECT_TRUE(same_bytes(Walk(TestAndSet{}, config).state(), Walk(TestAndSet{}, config).state()));
}

TEST(WorldBytes, are_the_initial_ones_again_after_acquire_and_release_of_everybody) {
    for (const bool watches : {false, true}) {
        WorldConfig config = for_ever(world_of({{acquire(), release()}, {acquire(), release()}}));
        config.watches_others = watches;
        Walk walk(TestAndSet{}, config);
        const State initial = walk.state();
        walk.steps(0, 2);
        EXPECT_TRUE(walk.step(1).is(kRefused));
        walk.steps(0, 2);
        EXPECT_TRUE(same_bytes(walk.state(), initial)) << "refused, and once through";
        walk.steps(1, 4);
        EXPECT_TRUE(same_bytes(walk.state(), initial));
    }
}

TEST(WorldBytes, forget_what_a_release_had_to_remember) {
    WorldConfig config = for_ever(world_of({{following(acquire()), following(release())},
                                            {following(acquire()), following(release())}}));
    config.views = {9};
    Walk walk(TestAndSet{}, config);
    const State initial = walk.state();
    walk.steps(0, 2);
    EXPECT_TRUE(walk.step(1).is(kRefused));
    EXPECT_FALSE(same_bytes(walk.state(), initial));
    walk.steps(0, 2);
    EXPECT_TRUE(same_bytes(walk.state(), initial));
}

TEST(WorldBytes, do_not_tell_in_which_order_independent_steps_were_taken) {
    WorldConfig config = world_of({{acquire(1, 1, 0)}, {acquire(1, 1, 1)}});
    config.keys = {"db", "cache"};
    Walk one(TestAndSet{}, config);
    one.steps(0, 2);
    one.steps(1, 2);
    Walk other(TestAndSet{}, config);
    other.steps(1, 2);
    other.steps(0, 2);
    EXPECT_TRUE(same_bytes(one.state(), other.state()));
}

TEST(WorldBytes, of_a_dead_caller_do_not_tell_where_it_died) {
    WorldConfig config = world_of({{insist(), release()}, {acquire(), acquire()}});
    config.crashes_max = 1;
    config.watches_others = true;
    Walk early(TestAndSet{}, config);
    early.steps(1, 2);
    early.crash(0);
    Walk late(TestAndSet{}, config);
    late.steps(1, 2);
    late.step(0);
    late.crash(0);
    EXPECT_TRUE(same_bytes(early.state(), late.state()));
}

TEST(WorldBytes, differ_in_every_point_of_a_call) {
    Walk walk(TestAndSet{}, world_of({{acquire(), release()}}));
    std::vector<State> passed{walk.state()};
    for (int i = 0; i < 4; ++i) {
        walk.step();
        for (const State& before : passed) {
            EXPECT_FALSE(same_bytes(walk.state(), before)) << "step " << i;
        }
        passed.push_back(walk.state());
    }
}

TEST(WorldBytes, count_crashes_and_resizes) {
    WorldConfig config = world_of({{acquire()}});
    config.views = {1, 1};
    Walk walk(TestAndSet{}, config);
    const State initial = walk.state();
    walk.apply("r");
    EXPECT_FALSE(same_bytes(walk.state(), initial)) << "equal views, and one resize less to come";
}

// --- symmetry ------------------------------------------------------------------------------------

// A and B are interchangeable, C is not, though its script is the same.
WorldConfig two_and_one() {
    WorldConfig config =
        world_of({{acquire(), release()}, {acquire(), release()}, {acquire(), release()}});
    config.callers[1].group = config.callers[0].group;
    return config;
}

State canonical(const Walk<TestAndSet>& walk) {
    State state = walk.state();
    walk.world().canonicalize(state);
    return state;
}

TEST(WorldCanonical, state_does_not_tell_which_of_a_group_has_stepped) {
    Walk a(TestAndSet{}, two_and_one());
    a.step(0);
    Walk b(TestAndSet{}, two_and_one());
    b.step(1);
    EXPECT_FALSE(same_bytes(a.state(), b.state()));
    EXPECT_TRUE(same_bytes(canonical(a), canonical(b)));
}

TEST(WorldCanonical, state_tells_callers_of_different_groups_apart) {
    Walk a(TestAndSet{}, two_and_one());
    a.step(0);
    Walk c(TestAndSet{}, two_and_one());
    c.step(2);
    EXPECT_FALSE(same_bytes(canonical(a), canonical(c)));
    EXPECT_TRUE(same_bytes(canonical(c), c.state())) << "C stays where it is";
}

TEST(WorldCanonical, state_is_the_canonical_one_of_itself) {
    Walk walk(TestAndSet{}, two_and_one());
    walk.steps(0, 2);
    walk.step(1);
    State once = canonical(walk);
    State twice = once;
    walk.world().canonicalize(twice);
    EXPECT_TRUE(same_bytes(once, twice));
}

TEST(WorldCanonical, state_keeps_the_shared_part_and_everybody_in_it) {
    Walk walk(TestAndSet{}, two_and_one());
    walk.steps(0, 2);
    const State state = canonical(walk);
    EXPECT_EQ(state.shared.taken[0], 1);
    EXPECT_EQ(state.slots[0].held[0] + state.slots[1].held[0], 1);
    EXPECT_EQ(walk.world().quiescent(state), walk.world().quiescent(walk.state()));
}

}  // namespace
}  // namespace lockkeeper
