// SPDX-License-Identifier: Apache-2.0
#include "impl/wait_die/wait_die_lock.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "model/walk_test.hpp"

namespace lockkeeper::wait_die {
namespace {

using testing_model::acquire;
using testing_model::release;
using WaitDieWalk = testing_model::Walk<WaitDieLock>;

Operation effect_under(int key) {
    Operation operation = acquire(1, 1, key);
    operation.verb = Verb::kCall;
    operation.word = 1;
    operation.needs_lock = true;
    return operation;
}

WaitDieWalk walk_of(const std::vector<std::vector<Operation>>& scripts, Options options = {}) {
    WorldConfig world = testing_model::world_of(scripts);
    world.keys = options.keys = {"a", "b"};
    world.restarts_max = 1;
    return {WaitDieLock(std::move(options)), world};
}

const WaitDieLock::Record& record_of(const WaitDieWalk& walk, std::size_t caller) {
    return walk.state().slots[caller].record;
}

TEST(WaitDie, lets_who_began_earlier_wait_and_throws_out_who_began_later) {
    auto walk = walk_of({{acquire(), acquire(1, 1, 1)}, {acquire(1, 1, 1), acquire()}});
    walk.step(0);
    walk.step(1);
    EXPECT_EQ(1, record_of(walk, 0).age);
    EXPECT_EQ(2, record_of(walk, 1).age);
    walk.step(0);
    EXPECT_FALSE(walk.can(testing_model::step_of(0))) << "A is older, and waits for b";
    EXPECT_TRUE(walk.step(1).is(kCallerDied)) << "B is younger, and is thrown out";
    EXPECT_EQ(0, record_of(walk, 1).age);
    EXPECT_TRUE(walk.step(0).is(kAcquired)) << "what B held is free";
}

// An older caller does not wait behind one that is older still: that might close a circle.
TEST(WaitDie, throws_out_who_would_wait_behind_an_older_one) {
    auto walk =
        walk_of({{acquire(1, 1, 1), acquire()}, {acquire(1, 1, 1), acquire()}, {acquire()}});
    walk.step(0);                                                 // A holds b, oldest
    EXPECT_TRUE(walk.step(1).is(kCallerDied)) << "B is younger";  // and lost its age
    walk.step(2);                                                 // C holds a
    walk.step(0);                                                 // A waits for a
    EXPECT_EQ(2, record_of(walk, 0).place[0]);
    EXPECT_EQ(1, record_of(walk, 0).age);
    EXPECT_EQ(2, record_of(walk, 2).age);
}

TEST(WaitDie, runs_a_function_again_from_the_beginning_with_its_effects) {
    for (const bool repaired : {false, true}) {
        Options options;
        options.effects_after_commit = repaired;
        auto walk =
            walk_of({{acquire(1, 1, 1)},
                     {acquire(), effect_under(0), acquire(1, 1, 1), release(1, 1, 1), release()}},
                    options);
        walk.step(0);  // A holds b
        walk.steps(1, 2);
        EXPECT_TRUE(walk.step(1).is(kCallerDied));
        const Action restart{1, ActionKind::kDisturb, kRestartArgument};
        ASSERT_TRUE(walk.can(restart));
        walk.apply(restart);
        EXPECT_TRUE(walk.step(1).is(kAcquired));
        const Event again = walk.step(1);
        EXPECT_EQ(!repaired, again.is(kEffect));
        EXPECT_EQ(!repaired, again.is(Breach::kRepeated));
    }
}

TEST(WaitDie, keeps_its_locks_until_the_function_ends) {
    auto walk = walk_of({{acquire(), acquire(1, 1, 1), release(1, 1, 1), release()}});
    walk.steps(0, 3);
    EXPECT_EQ(1, record_of(walk, 0).place[1]) << "an inner end sends nothing";
    walk.steps(0, 2);
    EXPECT_EQ(0, record_of(walk, 0).place[0]);
    EXPECT_EQ(0, record_of(walk, 0).place[1]);
    const WaitDieLock::Record none{};
    EXPECT_EQ(0, std::memcmp(&none, &record_of(walk, 0), sizeof none));
}

}  // namespace
}  // namespace lockkeeper::wait_die
