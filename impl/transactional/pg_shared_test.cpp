// SPDX-License-Identifier: Apache-2.0

// Shared advisory locks and tries, as PostgreSQL 15.18 was seen to treat them.
#include <gtest/gtest.h>

#include "impl/transactional/transaction_walk_test.hpp"

namespace lockkeeper::testing_transactional {
namespace {

using PgWalk = Walk<PgServer>;
constexpr int kRead = 0;   // key "a": the shared mode of the lock ...
constexpr int kAlone = 1;  // ... that key "b" takes alone
constexpr int kOther = 2;  // key "c": another lock

Operation take(int key) { return acquire(1, 1, key); }

PgWalk shared_walk(const Scripts& scripts, std::size_t who_tries = 99) {
    ServerOptions options = options_for(scripts);
    options.keys = {"a", "b", "c"};
    options.numbers = {{0, 0, 0}, {0, 0, 0}, {2, 2, 0}};
    options.shared = 1U << kRead;
    if (who_tries < scripts.size()) {
        options.clients[who_tries].tries = true;
    }
    WorldConfig world = world_of(scripts);
    world.keys = options.keys;
    return {PgServer(std::move(options)), world};
}

const Session& session_of(const PgWalk& walk, std::size_t caller) {
    return walk.state().slots[caller].record.session;
}

TEST(SharedAdvisoryLock, is_held_by_many_and_excludes_who_takes_it_alone) {
    auto walk = shared_walk({{take(kRead), release(1, 1, kRead)}, {take(kRead)}, {take(kAlone)}});
    EXPECT_TRUE(walk.steps(0, 2).is(kAcquired));
    const Event second = walk.steps(1, 2);
    EXPECT_TRUE(second.is(kAcquired));
    EXPECT_FALSE(second.is(kOverlap));
    walk.steps(2, 2);
    EXPECT_FALSE(walk.can(testing_model::step_of(2)));
    walk.steps(0, 3);  // one of two has left
    EXPECT_FALSE(walk.can(testing_model::step_of(2)));
    EXPECT_EQ(2, session_of(walk, 2).place[0]);
}

TEST(SharedAdvisoryLock, is_not_granted_behind_a_waiter_but_to_who_holds_it) {
    auto walk = shared_walk({{take(kRead), take(kRead)}, {take(kAlone)}, {take(kRead)}}, 2);
    walk.steps(0, 2);
    walk.steps(1, 2);  // waits
    EXPECT_TRUE(walk.steps(2, 3).is(kFailed)) << "readers alone hold it";
    EXPECT_TRUE(walk.step(0).is(kAcquired)) << "who holds it passes the waiter";
}

TEST(SharedAdvisoryLock, is_granted_to_all_in_front_of_the_next_who_takes_it_alone) {
    auto walk = shared_walk({{take(kAlone), release(1, 1, kAlone)},
                             {take(kRead)},
                             {take(kRead)},
                             {take(kAlone)},
                             {take(kRead)}});
    for (std::uint8_t caller = 0; caller < 5; ++caller) {
        walk.steps(caller, 2);
    }
    walk.steps(0, 2);  // COMMIT and the release
    for (const std::size_t reader : {1U, 2U}) {
        EXPECT_EQ(1, session_of(walk, reader).place[0]);
    }
    EXPECT_EQ(2, session_of(walk, 3).place[0]);
    EXPECT_EQ(3, session_of(walk, 4).place[0]);
}

// A reads and waits for c; C has c and would read, behind B, who waits to take the lock alone.
TEST(SharedAdvisoryLock, passes_a_waiter_where_a_cycle_runs_through_the_order_of_the_line) {
    auto walk =
        shared_walk({{take(kRead), take(kOther)}, {take(kAlone)}, {take(kOther), take(kRead)}});
    walk.steps(0, 2);
    walk.steps(2, 2);
    walk.steps(1, 2);  // B waits for A
    walk.step(2);      // C waits behind B
    walk.step(0);      // A waits for C
    for (const std::uint8_t caller : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
        EXPECT_FALSE(walk.can(testing_model::step_of(caller)));
    }
    for (const Action action : walk.actions()) {
        if (action.kind == ActionKind::kTime) {
            walk.apply(action);  // a second passes
            break;
        }
    }
    EXPECT_TRUE(walk.step_background());
    const Event granted = walk.step(2);
    EXPECT_TRUE(granted.is(kAcquired)) << "C has passed B, and nobody got an error";
    EXPECT_FALSE(granted.is(Breach::kTokenRepeated));
    EXPECT_EQ(2, session_of(walk, 1).place[0]);
    EXPECT_EQ(0, session_of(walk, 1).overtaken) << "the line's order is what it is now";
}

}  // namespace
}  // namespace lockkeeper::testing_transactional
