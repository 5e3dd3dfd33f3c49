// SPDX-License-Identifier: Apache-2.0

// The transactional locks with any number of callers, whose line has no end: what is proved of them
// by record is what the servers themselves show, with one, two and three callers.
#include <random>
#include <type_traits>

#include <gtest/gtest.h>

#include "impl/transactional/line_by_record.hpp"
#include "impl/transactional/transaction_rules.hpp"
#include "model/long_run_test.hpp"
#include "model/slow_build_test.hpp"
#include "scheduler/proofs/compare_servers_test.hpp"

namespace lockkeeper::testing_proofs::transactional_locks {
namespace {

using transactional::Client;
using transactional::InnodbByRecord;
using transactional::InnodbServer;
using transactional::LineByRecord;
using transactional::PgByRecord;
using transactional::PgServer;
using transactional::ServerOptions;
using transactional::Word;

using Scope = ServerScope<ServerOptions>;

Operation calling(Word word) {
    const bool needs_lock = word == Word::kRead || word == Word::kEffect;
    return {.verb = Verb::kCall,
            .word = static_cast<std::uint8_t>(word),
            .needs_lock = needs_lock,
            .gives_up = word == Word::kRollBack};
}

Scope lock_of(const Client& client, const std::vector<Operation>& between = {}) {
    Scope scope;
    scope.world.keys = scope.options.keys;
    scope.world.crashes_max = 1;
    add_kind(scope, client, between);
    return scope;
}

// InnoDB: the row is inserted and committed before, or there, or the key is a user lock.
void put_row_there(ServerOptions& options, unsigned how) {
    options.repairs |=
        static_cast<std::uint16_t>(how == 0 ? unsigned{transactional::kRowFirst} : 0U);
    options.rows = how == 1 ? 1 : 0;
    options.user_locks = how == 2 ? 1 : 0;
}

// Acquires behind a savepoint, and goes back to it: that may free the lock.
void free_inside(std::vector<Operation>& acquires) {
    acquires.insert(acquires.begin() + 1, {calling(Word::kRollBackTo), calling(Word::kEffect)});
    acquires.insert(acquires.begin(), {calling(Word::kBegin), calling(Word::kSavepoint)});
    acquires.push_back(calling(Word::kCommit));
}

template <class Server>
Scope random_scope(std::uint32_t seed) {
    constexpr bool kIsPg = std::is_same_v<Server, PgServer>;
    using namespace transactional;
    const std::vector<unsigned> repairs =
        kIsPg ? std::vector<unsigned>{kGuardSavepoint, kReadCommitted, kCheckedEnd, kOutbox}
              : std::vector<unsigned>{kInnerSavepoint, kLockingReads, kCheckedEnd,
                                      kOutbox,         kCheckedLock,  kRollsBack};
    std::mt19937 random(seed);
    const auto below = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
    Scope scope;
    scope.world.keys = scope.options.keys;
    scope.world.crashes_max = below(2) == 0 ? 1 : 0;
    scope.options.lock_timeout = below(3) == 0 ? 1'500 : 0;
    for (const unsigned repair : repairs) {
        scope.options.repairs |= static_cast<std::uint16_t>(below(3) == 0 ? repair : 0U);
    }
    if (!kIsPg) {
        put_row_there(scope.options, below(3));
        scope.options.by_weight = below(3) == 0;
    }
    for (auto kinds = 1 + below(3) / 2; kinds > 0; --kinds) {
        Client client;
        client.repeatable_read = below(4) == 0;
        client.rescues = below(3) == 0;
        client.tries = kIsPg && below(3) == 0;
        client.restarts = !kIsPg && below(3) == 0;
        client.lock_timeout = below(4) == 0 ? 500 : 0;
        std::vector<Operation> between;
        constexpr Word kWords[] = {Word::kRead,       Word::kEffect,   Word::kFail,
                                   Word::kEffect,     Word::kRollBack, Word::kSavepoint,
                                   Word::kRollBackTo, Word::kEffect,   Word::kReleaseSavepoint};
        for (auto i = below(4); i > 0; --i) {
            between.push_back(calling(kWords[below(std::size(kWords))]));
        }
        if (below(4) == 0) {
            between.insert(between.begin(), {.verb = Verb::kAcquire});
            between.push_back({.verb = Verb::kRelease});
        }
        add_kind(scope, client, between);
        std::vector<Operation>& script = scope.world.callers.back().script;
        script[0].until_acquired = below(3) == 0;
        if (!kIsPg && below(3) == 0) {
            free_inside(script);
        }
    }
    return scope;
}

proofs::ReplicatedWorld taken_apart(const Scope& scope) {
    return server_taken_apart<PgByRecord>(scope);
}

const std::vector<const Property*>& checked() { return shown_by<PgByRecord>(); }

template <class Server>
void compare(const testing_model::Seeds& seeds, std::size_t callers) {
    compare_servers<Server, LineByRecord<Server>>(random_scope<Server>, seeds.first, seeds.count,
                                                  callers, false);
}

TEST(TransactionalProofTest, ALineWithoutAnEndIsProvedForEveryNumberOfCallers) {
    for (const bool tries : {false, true}) {
        for (const std::int32_t timeout : {0, 1'500}) {
            Scope scope = lock_of({.tries = tries}, {calling(Word::kEffect)});
            scope.options.lock_timeout = timeout;
            const proofs::ReplicatedWorld apart = taken_apart(scope);
            const auto made = proofs::prove(apart, {.check = checked()});
            ASSERT_TRUE(made.certificate) << tries << timeout << ": " << made.why_not;
            EXPECT_EQ(proofs::why_refused(*made.certificate, apart), "");
        }
    }
}

TEST(TransactionalProofTest, ARowThatIsThereIsProvedForEveryNumberOfCallers) {
    for (const unsigned how : {0U, 1U, 2U}) {
        Scope scope = lock_of({}, {calling(Word::kEffect)});
        put_row_there(scope.options, how);
        const proofs::ReplicatedWorld apart = server_taken_apart<InnodbByRecord>(scope);
        const auto made = proofs::prove(apart, {.check = shown_by<InnodbByRecord>()});
        ASSERT_TRUE(made.certificate) << how << ": " << made.why_not;
        EXPECT_EQ(proofs::why_refused(*made.certificate, apart), "");
    }
    const Scope absent = lock_of({});
    EXPECT_NE(InnodbByRecord::why_not(absent.options, absent.world), "");
}

// One World whose steps are chosen.
class Walk {
  public:
    explicit Walk(const Scope& scope)
        : config_(with_kinds_in_operations(scope.world)),
          world_(PgByRecord(scope.options, config_), config_),
          state_(world_.initial()) {}

    // False: no such action is possible.
    template <class IsIt>
    bool take(IsIt is_it) {
        ActionList actions;
        world_.enabled(state_, actions);
        const auto* const found = std::find_if(actions.begin(), actions.end(), is_it);
        if (found != actions.end()) {
            last_ = world_.apply(state_, *found);
        }
        return found != actions.end();
    }
    bool step(std::uint8_t caller) {
        return take([&](Action action) {
            return action.kind == ActionKind::kStep && action.actor == caller;
        });
    }
    bool background(std::uint8_t caller) {
        return take([&](Action action) {
            return action.kind == ActionKind::kBackground && action.actor == caller &&
                   !PgByRecord::is_elsewhere(action);
        });
    }
    bool nobody_waits() { return take(PgByRecord::is_elsewhere); }
    bool acquire(std::uint8_t caller) {
        constexpr int kStepsMost = 10;
        for (int i = 0; i < kStepsMost && !holds(caller) && step(caller); ++i) {
        }
        return holds(caller);
    }
    // Until it cannot go on, because it hands the lock over.
    bool leave(std::uint8_t caller) {
        constexpr int kStepsMost = 10;
        int steps = 0;
        while (steps < kStepsMost && step(caller)) {
            ++steps;
        }
        return steps < kStepsMost;
    }
    bool holds(std::size_t caller) const { return state_.slots[caller].held[0] != 0; }
    const Event& last() const { return last_; }

  private:
    WorldConfig config_;
    World<PgByRecord> world_;
    World<PgByRecord>::State state_;
    Event last_;
};

TEST(TransactionalProofTest, AHandOverGrantsToWhoWaitsAndNobodyElseGoesOnBefore) {
    Walk walk(with_so_many(lock_of({}), {3}));
    ASSERT_TRUE(walk.acquire(0));
    EXPECT_FALSE(walk.acquire(1));  // it waits
    ASSERT_TRUE(walk.leave(0));
    EXPECT_FALSE(walk.holds(0));
    EXPECT_FALSE(walk.step(1));
    EXPECT_FALSE(walk.step(2));
    EXPECT_FALSE(walk.background(2));  // it does not wait
    ASSERT_TRUE(walk.background(1));
    EXPECT_FALSE(walk.nobody_waits());
    EXPECT_FALSE(walk.acquire(2));
    EXPECT_TRUE(walk.acquire(1));
}

TEST(TransactionalProofTest, WhereNobodyWaitsTheLockIsFree) {
    Walk walk(with_so_many(lock_of({}), {3}));
    ASSERT_TRUE(walk.acquire(0));
    EXPECT_FALSE(walk.nobody_waits());
    ASSERT_TRUE(walk.step(2));  // its lock statement comes next
    ASSERT_TRUE(walk.leave(0));
    ASSERT_TRUE(walk.nobody_waits());
    EXPECT_TRUE(walk.acquire(2));
    EXPECT_FALSE(walk.acquire(1));
}

TEST(TransactionalProofTest, AKindOfCallersHasItsOwnSettings) {
    Scope scope = lock_of({});
    add_kind(scope, Client{.tries = true}, {});
    Walk walk(scope);
    ASSERT_TRUE(walk.acquire(0));
    EXPECT_FALSE(walk.acquire(1));
    EXPECT_TRUE(walk.last().is(kFailed));  // refused, while the other kind would wait
}

// A roll-back to a savepoint before the lock frees it, and the block goes on.
TEST(TransactionalProofTest, ALockThatIsFreedInsideOfItsBlockIsNotProvedAndIsViolatedByOne) {
    Scope scope = lock_of({.rescues = true});
    const std::vector<Operation> acquire_and_release = scope.world.callers[0].script;
    scope.world.callers[0].script = {calling(Word::kBegin),  calling(Word::kSavepoint),
                                     acquire_and_release[0], calling(Word::kRollBackTo),
                                     calling(Word::kEffect), acquire_and_release[1],
                                     calling(Word::kCommit)};
    EXPECT_FALSE(
        proofs::prove(taken_apart(scope), {.check = only("unprotected-effect")}).certificate);
    const Scope one = with_so_many(scope, {1});
    EXPECT_TRUE(explored_server<PgByRecord>(PgServer(one.options), one.world)
                    .violated.contains("unprotected-effect"));
}

TEST(TransactionalProofTest, TheOrderOfGrantsIsNotProved) {
    const Scope scope = lock_of({}, {calling(Word::kEffect)});
    const proofs::ReplicatedWorld apart = taken_apart(scope);
    auto made = proofs::prove(apart, {.check = only("belief-overlap")});
    ASSERT_TRUE(made.certificate) << made.why_not;
    made.certificate->proved = {"token-order"};
    EXPECT_NE(proofs::why_refused(*made.certificate, apart), "");
}

TEST(TransactionalProofTest, WhatIsNotProvedSaysWhy) {
    const auto why = [](auto change) {
        Scope scope = lock_of({});
        change(scope);
        return PgByRecord::why_not(scope.options, scope.world);
    };
    EXPECT_EQ(why([](Scope&) {}), "");
    EXPECT_NE(why([](Scope& scope) { scope.options.keys.push_back("other"); }), "");
    EXPECT_NE(why([](Scope& scope) { scope.options.shared = 1; }), "");
    EXPECT_NE(why([](Scope& scope) { scope.options.faults.kills = 1; }), "");
    static const struct : transactional::TransactionRules {
    } kOther;
    EXPECT_NE(why([](Scope& scope) { scope.options.rules = &kOther; }), "");
    for (const Word word : {Word::kWrite, Word::kCleanUp}) {
        EXPECT_NE(
            why([&](Scope& scope) { scope.world.callers[0].script.push_back(calling(word)); }), "");
    }
}

TEST(TransactionalProofTest, RandomLocksAreExploredAndNoProofIsContradicted) {
    compare<PgServer>({1, testing_model::kIsSlowBuild ? 5 : 30}, 2);
    compare<InnodbServer>({1, testing_model::kIsSlowBuild ? 5 : 30}, 2);
}

// With the label `long`, as every_number_transactional_long (cmake/LockkeeperTests.cmake).
TEST(TransactionalProofTest, DISABLED_LongRandomLocksAreExploredAndNoProofIsContradicted) {
    const auto seeds = testing_model::seeds_of_long_run({1'000'000, 2'000});
    compare<PgServer>(seeds, 3);
    compare<InnodbServer>(seeds, 3);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs::transactional_locks
