// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/pooled_lock.hpp"

#include <gtest/gtest.h>

#include "model/walk_test.hpp"

namespace lockkeeper::transactional {
namespace {

using testing_model::acquire;
using testing_model::insist;
using testing_model::release;
using testing_model::Walk;

Operation drop() {
    Operation operation = release();
    operation.verb = Verb::kCall;
    operation.word = static_cast<std::uint8_t>(PooledWord::kDrop);
    operation.needs_lock = operation.gives_up = true;
    return operation;
}

constexpr PooledClient kSession{.session_level = true};
constexpr PooledClient kTransaction{};

// One setting for each caller; of two keys.
Walk<PooledLock> walk_of(const std::vector<std::vector<Operation>>& scripts,
                         std::vector<PooledClient> clients, std::size_t connections = 4,
                         std::int32_t tolerated = 0, std::uint8_t crashes = 0) {
    PooledOptions options;
    options.keys = {"db", "other"};
    options.clients = std::move(clients);
    options.connections = connections;
    options.tolerated = tolerated;
    WorldConfig world = testing_model::world_of(scripts);
    world.keys = options.keys;
    world.crashes_max = crashes;
    return {PooledLock(options), world};
}
Walk<PooledLock> walk_of(const std::vector<std::vector<Operation>>& scripts,
                         const PooledClient& client, std::size_t connections = 4,
                         std::int32_t tolerated = 0) {
    return walk_of(scripts, std::vector(scripts.size(), client), connections, tolerated);
}
Operation acquire_key(int key) { return acquire(1, 1, key); }
Operation release_key(int key) { return release(1, 1, key); }

TEST(PooledLock, leaks_a_session_level_lock_into_the_pool_and_no_transaction_level_lock) {
    for (const bool session_level : {false, true}) {
        auto walk = walk_of({{acquire(), drop()}}, {session_level, false});
        walk.steps(0, 3);
        EXPECT_EQ(walk.seen().keys[0].phantoms, session_level ? 1U : 0U);
        EXPECT_EQ(walk.seen().keys[0].granted, session_level ? 1U : 0U);
    }
}

TEST(PooledLock, gives_a_leaked_lock_to_whoever_gets_its_connection) {
    auto walk = walk_of({{acquire(), drop()}, {acquire(), release()}}, {true, false}, 1);
    walk.steps(0, 3);
    walk.steps(1, 2);
    EXPECT_EQ(walk.believed(), 1U);
    walk.step(1);
    EXPECT_EQ(walk.seen().keys[0].granted, 1U) << "one unlock is not enough";
}

TEST(PooledLock, puts_a_connection_back_whatever_somebody_else_has_left_on_it) {
    auto walk = walk_of({{acquire(), drop()}, {acquire_key(1), release_key(1)}}, kSession, 1);
    walk.steps(0, 3);
    walk.steps(1, 4);
    EXPECT_EQ(walk.state().slots[1].record.connection, 0U);
    EXPECT_EQ(walk.seen().keys[0].phantoms, 1U);
    EXPECT_EQ(walk.seen().keys[1].granted, 0U);
}

TEST(PooledLock, ends_with_a_transaction_what_was_locked_in_it_and_no_leaked_lock) {
    auto walk = walk_of({{acquire(), drop()}, {acquire(), release()}}, {kSession, kTransaction}, 1);
    walk.steps(0, 3);
    walk.steps(1, 4);
    EXPECT_EQ(walk.state().slots[1].record.connection, 0U);
    EXPECT_EQ(walk.seen().keys[0].phantoms, 1U) << "of the session level";
}

TEST(PooledLock, keeps_what_an_inner_block_has_locked_to_the_end_of_the_transaction) {
    auto walk = walk_of({{acquire(), acquire_key(1), release_key(1), release()}}, kTransaction);
    walk.steps(0, 4);
    EXPECT_EQ(walk.seen().callers[0].believed[1], 1U);
    walk.step();
    EXPECT_EQ(walk.seen().callers[0].believed[1], 0U) << "the inner block has ended";
    EXPECT_EQ(walk.seen().keys[1].granted, 1U) << "nothing is sent";
    walk.step();
    EXPECT_EQ(walk.seen().keys[0].granted + walk.seen().keys[1].granted, 0U) << "COMMIT";
    walk.step();
    EXPECT_TRUE(walk.actions().empty());
}

TEST(PooledLock, frees_at_session_level_what_an_inner_block_has_locked_when_it_ends) {
    auto walk = walk_of({{acquire(), acquire_key(1), release_key(1), release()}}, kSession);
    walk.steps(0, 5);
    EXPECT_EQ(walk.seen().keys[0].granted, 1U);
    EXPECT_EQ(walk.seen().keys[1].granted, 0U);
    EXPECT_NE(walk.state().slots[0].record.connection, 0U);
}

TEST(PooledLock, keeps_the_connection_of_a_block_in_which_a_try_is_refused) {
    for (const bool session_level : {false, true}) {
        auto walk = walk_of({{acquire(), acquire_key(1), release()}, {acquire_key(1)}},
                            PooledClient{.session_level = session_level, .tries = true});
        walk.steps(1, 2);
        walk.steps(0, 2);
        EXPECT_TRUE(walk.steps(0, 2).is(kRefused));
        EXPECT_NE(walk.state().slots[0].record.connection, 0U);
        walk.steps(0, 2);
        EXPECT_EQ(walk.state().slots[0].record.connection, 0U);
        EXPECT_EQ(walk.seen().keys[0].granted, 0U);
    }
}

TEST(PooledLock, overtakes_nobody_by_locking_once_more) {
    for (const bool session_level : {false, true}) {
        auto walk = walk_of({{acquire(), acquire()}, {acquire()}}, {session_level, false});
        walk.steps(0, 2);
        walk.steps(1, 2);
        EXPECT_TRUE(walk.steps(0, 2).is(kAcquired));
        EXPECT_EQ(walk.state().slots[1].record.overtaken, 0);
    }
}

TEST(PooledLock, overtakes_by_a_lock_that_somebody_else_has_left_on_the_connection) {
    auto walk = walk_of({{acquire(), drop()}, {acquire()}, {acquire(), acquire()}}, kSession, 2, 5);
    walk.steps(0, 2);
    walk.steps(1, 2);
    walk.step(0);
    EXPECT_TRUE(walk.steps(2, 2).is(kAcquired));
    EXPECT_EQ(walk.state().slots[1].record.overtaken, 1);
    EXPECT_TRUE(walk.steps(2, 2).is(kAcquired));
    EXPECT_EQ(walk.state().slots[1].record.overtaken, 1) << "now it is its own, too";
}

TEST(PooledLock, lets_a_caller_wait_for_a_connection) {
    auto walk = walk_of({{acquire(), release()}, {acquire(), release()}}, {false, false}, 1);
    walk.steps(0, 2);
    EXPECT_EQ(walk.enabled(), "s0");
}

Operation other_connection() {
    Operation operation = drop();
    operation.word = static_cast<std::uint8_t>(PooledWord::kOtherConnection);
    operation.gives_up = false;
    return operation;
}

TEST(PooledLock, takes_another_connection_beside_its_own_and_puts_that_one_back) {
    auto walk = walk_of({{acquire(), other_connection(), release()}}, kTransaction, 2);
    walk.steps(0, 2);
    walk.step();
    EXPECT_EQ(walk.state().slots[0].record.connection, 1);
    EXPECT_EQ(walk.state().slots[0].record.other, 2);
    EXPECT_EQ(walk.seen().keys[0].granted, 1U);
    walk.step();
    EXPECT_EQ(walk.state().slots[0].record.other, 0);
    EXPECT_EQ(walk.state().shared.sessions[1].in_use, 0);
    EXPECT_EQ(walk.seen().keys[0].granted, 1U) << "the block goes on";
}

TEST(PooledLock, waits_for_ever_for_a_connection_that_somebody_in_its_line_has) {
    for (const std::size_t connections : {2U, 3U}) {
        auto walk = walk_of({{acquire(), other_connection(), release()}, {acquire(), release()}},
                            kTransaction, connections);
        walk.steps(0, 2);
        walk.steps(1, 2);
        EXPECT_EQ(walk.enabled(), connections == 2 ? "" : "s0") << "the other one waits in line";
    }
}

TEST(PooledLock, puts_both_connections_back_when_their_caller_dies) {
    auto walk = walk_of({{acquire(), other_connection(), release()}, {acquire(), release()}},
                        {kTransaction, kTransaction}, 2, 0, 1);
    walk.steps(0, 3);
    walk.crash(0);
    for (const PooledLock::Session& session : walk.state().shared.sessions) {
        EXPECT_EQ(session.in_use, 0);
    }
    EXPECT_TRUE(walk.steps(1, 2).is(kAcquired));
}

// Mean overtakings of an acquire, over random runs in which everybody acquires `rounds` times.
double mean_overtakings(std::size_t callers, bool tries, int rounds) {
    std::vector<Operation> script;
    for (int i = 0; i < rounds; ++i) {
        script.push_back(insist());
        script.push_back(release());
    }
    std::uint32_t random = 7;
    const auto below = [&random](std::size_t n) {
        random = random * 1664525U + 1013904223U;
        return (random >> 8U) % n;
    };
    double overtakings = 0;
    double acquired = 0;
    for (int run = 0; run < 400; ++run) {
        auto walk = walk_of(std::vector(callers, script), {false, tries}, 4, 60);
        for (auto actions = walk.actions(); !actions.empty(); actions = walk.actions()) {
            const Action action = actions[below(actions.size())];
            const int before = walk.state().slots[action.actor].record.overtaken;
            if (walk.apply(action).is(kAcquired)) {
                overtakings += before;
                acquired += 1;
            }
        }
    }
    return overtakings / acquired;
}

TEST(PooledLock, is_overtaken_the_more_the_more_try_and_never_in_line) {
    double last = 0;
    for (const std::size_t callers : {2U, 3U, 4U}) {
        const double trying = mean_overtakings(callers, true, 6);
        EXPECT_GT(trying, last) << callers;
        EXPECT_EQ(mean_overtakings(callers, false, 6), 0) << callers;
        RecordProperty("overtakings_" + std::to_string(callers), std::to_string(trying));
        last = trying;
    }
}

}  // namespace
}  // namespace lockkeeper::transactional
