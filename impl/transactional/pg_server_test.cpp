// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/pg_server.hpp"

#include <gtest/gtest.h>

#include "impl/transactional/transaction_walk_test.hpp"

namespace lockkeeper::testing_transactional {
namespace {

Walk<PgServer> pg_walk_of(const Scripts& scripts, ServerOptions options) {
    return {PgServer(std::move(options)), world_of(scripts)};
}
Walk<PgServer> pg_walk_of(const Scripts& scripts) {
    return pg_walk_of(scripts, options_for(scripts));
}

// 1, 2, ...: who is granted the line, who comes next.
std::vector<int> places(const Walk<PgServer>& walk, std::size_t callers, std::size_t line = 0) {
    std::vector<int> places;
    for (std::size_t i = 0; i < callers; ++i) {
        places.push_back(walk.state().slots[i].record.session.place[line]);
    }
    return places;
}

TEST(PgServer, serves_a_line_in_the_order_of_arrival) {
    const Scripts scripts(4, {acquire(), release()});
    auto walk = pg_walk_of(scripts);
    for (const std::uint8_t caller : std::vector<std::uint8_t>{2, 0, 3, 1}) {
        walk.steps(caller, 2);
    }
    EXPECT_EQ(places(walk, 4), (std::vector{2, 4, 1, 3}));
    walk.steps(2, 3);
    EXPECT_EQ(places(walk, 4), (std::vector{1, 3, 0, 2}));
}

// The naive twin: a queue of callers, kept from outside.
TEST(PgServer, keeps_the_line_that_a_queue_would_keep) {
    std::uint32_t random = 1;
    const auto below = [&random](std::size_t n) {
        random = random * 1664525U + 1013904223U;
        return (random >> 8U) % n;
    };
    for (int run = 0; run < 300; ++run) {
        const Scripts scripts(5, {acquire(), acquire(), call(Word::kFail), release(), release(),
                                  acquire(), call(Word::kRollBack)});
        ServerOptions options = options_for(scripts);
        options.faults.kills = 2;
        options.lock_timeout = run % 2 == 0 ? 0 : 700;
        auto walk = pg_walk_of(scripts, options);
        std::deque<std::size_t> line;
        for (;;) {
            const auto actions = walk.actions();
            if (actions.empty()) {
                break;
            }
            const auto before = places(walk, 5);
            walk.apply(actions[below(actions.size())]);
            const auto after = places(walk, 5);
            for (std::size_t i = 0; i < 5; ++i) {
                if (after[i] == 0) {
                    std::erase(line, i);
                } else if (before[i] == 0) {
                    line.push_back(i);
                }
            }
            for (std::size_t at = 0; at < line.size(); ++at) {
                ASSERT_EQ(after[line[at]], static_cast<int>(at) + 1);
            }
        }
    }
}

TEST(PgServer, frees_at_an_error_what_was_taken_since_the_latest_savepoint) {
    struct Case {
        std::vector<Operation> script;
        int calls;
        std::vector<int> left;  // places of A in the lines of a and b
    };
    const Operation fail = call(Word::kFail);
    const Operation savepoint = call(Word::kSavepoint);
    const Operation back = call(Word::kRollBackTo);
    const Operation up = call(Word::kReleaseSavepoint);
    const Case cases[] = {
        {{acquire(), fail}, 3, {0, 0}},
        {{acquire(), savepoint, fail}, 4, {1, 0}},
        {{acquire(), savepoint, acquire(1, 1, 1), fail}, 5, {1, 0}},
        {{acquire(), savepoint, acquire(), fail}, 5, {1, 0}},  // the first grant counts
        {{acquire(), savepoint, acquire(1, 1, 1), back}, 5, {1, 0}},
        {{acquire(), savepoint, acquire(1, 1, 1), up}, 5, {1, 1}},
        {{acquire(), savepoint, acquire(1, 1, 1), up, fail}, 6, {0, 0}},
        {{acquire(), savepoint, savepoint, acquire(1, 1, 1), up, fail}, 7, {1, 0}},
    };
    for (const Case& one : cases) {
        auto walk = pg_walk_of({one.script});
        walk.steps(0, one.calls);
        EXPECT_EQ(places(walk, 1, 0)[0], one.left[0]);
        EXPECT_EQ(places(walk, 1, 1)[0], one.left[1]);
    }
}

TEST(PgServer, makes_visible_what_was_not_rolled_back_to_a_savepoint) {
    const Operation write = call(Word::kWrite);
    const Operation savepoint = call(Word::kSavepoint);
    const Operation back = call(Word::kRollBackTo);
    const Operation up = call(Word::kReleaseSavepoint);
    const std::vector<std::pair<std::vector<Operation>, int>> cases{
        {{savepoint, write, back}, 0},
        {{write, savepoint, write, back}, 1},
        {{savepoint, write, back, write}, 1},
        {{savepoint, write, up}, 1},
        {{savepoint, savepoint, write, up, back}, 0},
        {{savepoint, write, savepoint, back}, 1},
    };
    for (const auto& [inside, versions] : cases) {
        std::vector<Operation> script{acquire()};
        script.insert(script.end(), inside.begin(), inside.end());
        script.push_back(release());
        auto walk = pg_walk_of({script});
        walk.steps(0, static_cast<int>(script.size()) + 3);
        EXPECT_EQ(walk.counters()[1], versions);
    }
}

TEST(PgServer, misses_the_savepoint_of_a_block_though_a_later_block_has_set_its_own) {
    const Scripts scripts{{acquire(), call(Word::kSavepoint), acquire(1, 1, 1),
                           call(Word::kRollBackTo), acquire(1, 1, 1), release(1, 1, 1),
                           release(1, 1, 1), release()}};
    ServerOptions options = options_for(scripts);
    options.repairs = kGuardSavepoint;
    auto walk = pg_walk_of(scripts, options);
    walk.steps(0, 9);
    EXPECT_TRUE(walk.step().is(kReleased)) << "the third block has its own";
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kRolledBack) << "the second has not";
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kRolledBack);
}

TEST(PgServer, has_no_effect_of_an_outbox_that_was_rolled_back_to_a_savepoint) {
    const Scripts scripts{{acquire(), call(Word::kSavepoint), call(Word::kEffect),
                           call(Word::kRollBackTo), release()}};
    ServerOptions options = options_for(scripts);
    options.repairs = kOutbox;
    bool effect = false;
    count_states(World<PgServer>(PgServer(options), world_of(scripts)),
                 [&](const Event& event) { effect = effect || event.is(kEffect); });
    EXPECT_FALSE(effect);
}

TEST(PgServer, refuses_every_statement_after_an_error_but_the_way_back) {
    auto walk = pg_walk_of({{call(Word::kBegin), call(Word::kSavepoint), call(Word::kFail),
                             call(Word::kLook), call(Word::kRollBackTo), call(Word::kLook)}});
    walk.steps(0, 2);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kStatementFailed);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kInFailedTransaction);
    EXPECT_EQ(walk.step().error, 0);
    EXPECT_EQ(walk.step().error, 0);
}

// Once a SAVEPOINT that was sent before BEGIN lived on in the transaction.
TEST(PgServer, has_no_savepoint_outside_of_a_transaction) {
    auto walk = pg_walk_of(
        {{call(Word::kSavepoint), call(Word::kRollBackTo), call(Word::kReleaseSavepoint), acquire(),
          call(Word::kRollBackTo), call(Word::kLook), call(Word::kRollBackTo), release()}});
    const auto record = [&] { return walk.state().slots[0].record; };
    for (int outside = 0; outside < 3; ++outside) {
        EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kStatementFailed);
        EXPECT_EQ(record().session.savepoints, 0);
    }
    walk.steps(0, 2);
    EXPECT_EQ(record().session.place[0], 1);
    // It aborts the transaction, and from there no way leads back.
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kStatementFailed);
    EXPECT_EQ(record().session.place[0], 0);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kInFailedTransaction);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kStatementFailed);
    EXPECT_EQ(record().session.transaction, Transaction::kAborted);
}

// Once only the latest savepoint was rolled back, which need not be the block's own.
TEST(PgServer, goes_back_to_the_savepoint_of_the_block_whatever_was_set_since) {
    const Operation write = call(Word::kWrite, 1);
    const Operation savepoint = call(Word::kSavepoint);
    const Operation back = call(Word::kRollBackTo);
    const Operation up = call(Word::kReleaseSavepoint);
    const Operation fail = call(Word::kFail);
    const Operation end = release(1, 1, 1);
    const Operation error = call(Word::kRollBack, 1);
    struct Case {
        std::vector<Operation> inner;
        int versions;    // of what the inner block writes
        int savepoints;  // when it has ended; the outer block's own is one
    };
    const Case cases[] = {
        {{write, end}, 1, 1},
        {{write, fail, end}, 0, 1},
        {{write, savepoint, fail, end}, 0, 1},
        {{write, savepoint, savepoint, fail, end}, 0, 1},
        {{write, savepoint, error}, 0, 1},
        {{write, savepoint, write, end}, 1, 1},
        {{savepoint, write, back, end}, 0, 1},
        {{savepoint, write, up, end}, 1, 1},
        {{savepoint, write, up, error}, 0, 1},
        {{write, back, end}, 0, 1},  // none of its own to go back to: an error
        {{call(Word::kBegin), write, call(Word::kRollBack), end},
         1,
         1},  // without a savepoint of its own
    };
    for (const Case& one : cases) {
        std::vector<Operation> script{acquire(), acquire(1, 1, 1)};
        script.insert(script.end(), one.inner.begin(), one.inner.end());
        const Scripts scripts{script};
        ServerOptions options = options_for(scripts);
        options.repairs = kAllPgRepairs;
        options.clients[0].rescues = true;
        auto walk = pg_walk_of(scripts, options);
        walk.steps(0, 5 + static_cast<int>(one.inner.size()));
        const auto& record = walk.state().slots[0].record;
        EXPECT_EQ(record.blocks, 1) << &one - cases;
        EXPECT_EQ(record.session.savepoints, one.savepoints) << &one - cases;
        EXPECT_EQ(record.session.written[1] != 0 ? 1 : 0, one.versions) << &one - cases;
        EXPECT_EQ(record.session.transaction, Transaction::kOpen) << &one - cases;
    }
}

TEST(PgServer, says_so_when_the_savepoint_of_a_block_is_gone) {
    const Scripts scripts{{acquire(), call(Word::kSavepoint), acquire(1, 1, 1),
                           call(Word::kReleaseSavepoint), release(1, 1, 1), release()}};
    ServerOptions options = options_for(scripts);
    options.repairs = kAllPgRepairs;
    auto walk = pg_walk_of(scripts, options);
    walk.steps(0, 7);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kRolledBack);
    EXPECT_EQ(walk.state().slots[0].record.session.transaction, Transaction::kAborted);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kRolledBack);
    EXPECT_EQ(walk.state().slots[0].record.session.place[0], 0);
}

TEST(PgServer, has_one_line_for_a_name_on_hosts_of_either_byte_order_when_it_is_fixed) {
    const Scripts scripts{{acquire()}, {acquire(1, 1, 1)}};
    for (const std::uint16_t repairs : {std::uint16_t{0}, kAllPgRepairs}) {
        ServerOptions options = options_for(scripts);
        options.numbers = {{1, 0, 0}, {1, 1, 0}};  // one name, two ids
        options.repairs = repairs;
        auto walk = pg_walk_of(scripts, options);
        walk.steps(0, 2);
        walk.steps(1, 2);
        EXPECT_EQ(places(walk, 2, 0), repairs == 0 ? (std::vector{1, 0}) : (std::vector{1, 2}));
    }
}

TEST(PgServer, looks_for_a_deadlock_once_and_after_a_second) {
    const Scripts scripts{{acquire(), release()}, {acquire(), release()}};
    auto walk = pg_walk_of(scripts);
    walk.steps(0, 2);
    walk.steps(1, 2);
    EXPECT_EQ(walk.enabled(), "s0,t0.1000");
    walk.apply("t0.1000");
    EXPECT_EQ(walk.enabled(), "s0,b1.0");
    walk.apply("b1.0");
    EXPECT_EQ(walk.enabled(), "s0");
}

TEST(PgServer, becomes_visible_then_grants_then_acknowledges) {
    const Scripts scripts{{acquire(), call(Word::kWrite), release()}, {acquire(), release()}};
    auto walk = pg_walk_of(scripts);
    walk.steps(0, 3);
    walk.steps(1, 2);
    walk.step(0);
    EXPECT_EQ(walk.counters(), (std::vector<std::int32_t>{2, 1}));
    EXPECT_EQ(places(walk, 2), (std::vector{1, 2}));
    walk.step(0);
    EXPECT_EQ(places(walk, 2), (std::vector{0, 1}));
    EXPECT_TRUE(walk.can(testing_model::step_of(1)));
    EXPECT_TRUE(walk.step(0).is(kReleased));
}

TEST(PgServer, has_as_many_states_as_when_it_was_written) {
    // The explorer counts as many for the same scripts, without symmetry.
    const Scripts scripts(2, {acquire(), call(Word::kWrite), release()});
    EXPECT_EQ(count_states(World<PgServer>(PgServer(options_for(scripts)), world_of(scripts))),
              62U);
}

}  // namespace
}  // namespace lockkeeper::testing_transactional
