// SPDX-License-Identifier: Apache-2.0

// The repaired lock: one after the other it answers as the published one does, where all callers
// see the same; and invariant R1 of canal_row.hpp holds in every state of every run.
#include <gtest/gtest.h>

#include "impl/canal/canal_random_test.hpp"
#include "impl/canal/canal_walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_canal;
using SmallWalk = Walk<canal::CanalLock<canal::SmallSize>>;

// Everybody acquires, holds and releases as it likes; what it sees is up to `view`.
template <class View>
WorldConfig arbitrary_callers(std::size_t callers_most, int calls_most, View view) {
    Scripts scripts(pick<std::size_t>(1, callers_most));
    for (std::vector<Operation>& script : scripts) {
        const int calls = pick(0, calls_most);
        for (int i = 0; i < calls; ++i) {
            Operation operation = view();
            operation.verb = *rc::gen::element(Verb::kAcquire, Verb::kAcquire, Verb::kRelease);
            script.push_back(operation);
        }
        if (one_time_in(3)) {
            script.push_back(exit_process());
        }
    }
    return world_of(scripts);
}

// tries: from 1 (without any, the published lock frees a unit too much even when nobody disturbs).
CanalOptions arbitrary_options(std::uint16_t max_per) {
    return trying(with_table({}, max_per), pick<std::uint8_t>(1, 3));
}
CanalOptions repaired(CanalOptions options) {
    options.repairs = canal::kAllRepairs;
    return options;
}

void answers_as_published() {
    const int max_per = pick(1, 3);
    const int buckets = pick(1, 3);
    const WorldConfig world = arbitrary_callers(4, 14, [&] { return acquire(max_per, buckets); });
    const CanalOptions options = arbitrary_options(static_cast<std::uint16_t>(max_per));
    TinyWalk published(canal::CanalLock<canal::TinySize>(options), world);
    TinyWalk other(canal::CanalLock<canal::TinySize>(repaired(options)), world);
    while (!published.world().finished(published.state())) {
        const auto caller = (*rc::gen::elementOf(published.actions())).actor;
        const Event expected = published.call(caller);
        const Event answer = other.call(caller);
        published.drain();
        other.drain();
        constexpr std::uint32_t kAnswers =
            kAcquired | kRefused | kReleased | kCallerDied | kCrashed;
        RC_ASSERT((answer.what & kAnswers) == (expected.what & kAnswers));
        RC_ASSERT(answer.count == expected.count);
        RC_ASSERT(other.believed() == published.believed());
        for (std::size_t i = 0; i < world.callers.size(); ++i) {
            RC_ASSERT(references(other, i) == references(published, i));
        }
    }
    RC_ASSERT(other.world().finished(other.state()));
}

TEST(CanalRepaired, answers_callers_of_equal_views_one_by_one_as_the_published_lock) {
    expect_always(500, Shrinks::kYes, answers_as_published);
}

// Left of the highest bucket that counts anything, all are full.
void assert_r1(const std::vector<std::int32_t>& counters, std::int32_t max_per) {
    bool may_count = true;
    for (const std::int32_t counter : counters) {
        const std::int32_t value = counter == kAbsentCounter ? 0 : counter;
        RC_ASSERT(value >= 0 && value <= max_per);
        RC_ASSERT(may_count || value == 0);
        may_count = value == max_per;
    }
}

void keeps_r1() {
    const int max_per = pick(1, 3);
    WorldConfig world = arbitrary_callers(8, 6, [&] { return acquire(max_per, pick(1, 4)); });
    world.crashes_max = 2;
    SmallWalk walk(canal::CanalLock<canal::SmallSize>(
                       repaired(arbitrary_options(static_cast<std::uint16_t>(max_per)))),
                   world);
    for (std::vector<Action> actions = walk.actions(); !actions.empty(); actions = walk.actions()) {
        const Action chosen = *rc::gen::elementOf(actions);
        RC_LOG() << walk.world().describe(walk.state(), chosen) << "\n";
        walk.apply(chosen);
        assert_r1(walk.counters(), max_per);
    }
    const Observation seen = walk.seen();
    RC_ASSERT(seen.quiescent && !seen.servers_gone);
    RC_ASSERT(seen.keys[0].counted_least == seen.keys[0].believed);
}

TEST(CanalRepaired, keeps_r1_in_every_state_whoever_steps_or_crashes_whatever_buckets_it_sees) {
    expect_always(300, Shrinks::kYes, keeps_r1);
}

TEST(CanalRepaired, gives_nothing_back_for_a_caller_that_holds_nothing) {
    TinyWalk walk = tiny(repaired(with_table({0})), {{acquire(2, 1)}, {release_unchecked(2, 1)}});
    walk.call(0);
    const Event event = walk.step(1);
    EXPECT_EQ(event.what, kInvoked | kNothingToRelease | kReleased);
    EXPECT_EQ(table(walk), "[1] highest 1");
}

TEST(CanalRepaired, takes_the_announcement_back_when_it_is_refused) {
    TinyWalk walk = tiny(repaired(with_table({2})), {{acquire(2, 1)}});
    std::string told;
    while (!walk.world().finished(walk.state())) {
        const bool steps = walk.can(step_of(0));
        told += (steps ? walk.next() : walk.next_background()) + "\n";
        steps ? static_cast<void>(walk.step()) : static_cast<void>(walk.step_background());
    }
    EXPECT_EQ(told,
              "A acquire: announce db\n"
              "A acquire: take db\n"
              "A acquire: withdraw db\n"
              "manager: lock db of A\n"
              "manager: unlock db of A\n"
              "A acquire: receive reply\n");
    EXPECT_EQ(table(walk), "[2] highest 1");
    EXPECT_EQ(references(walk), 0U);
}

TEST(CanalRepaired, gives_back_for_the_dead_what_the_row_says_and_no_more) {
    TinyWalk walk =
        tiny(repaired(with_table({0})), {{acquire(2, 1), release(2, 1)}, {acquire(2, 1)}}, 1);
    walk.call(0);
    walk.call(1);
    walk.step(0);
    EXPECT_EQ(table(walk), "[1] highest 1") << "A has given back and not told the manager";
    walk.crash(0);
    walk.drain();
    EXPECT_EQ(walk.show(), "db [1] highest 1  held by B");
    EXPECT_TRUE(walk.seen().quiescent);
}

}  // namespace
}  // namespace lockkeeper
