// SPDX-License-Identifier: Apache-2.0

// Locks through a pool with any number of callers: what is proved of them by record is what the
// PooledLock itself shows, with one, two and three callers.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "impl/transactional/planted_bugs.hpp"
#include "impl/transactional/pooled_by_record.hpp"
#include "model/long_run_test.hpp"
#include "model/slow_build_test.hpp"
#include "scheduler/proofs/compare_servers_test.hpp"

namespace lockkeeper::testing_proofs::pools {
namespace {

using transactional::PooledByRecord;
using transactional::PooledClient;
using transactional::PooledLock;
using transactional::PooledOptions;
using transactional::PooledWord;

using PoolScope = ServerScope<PooledOptions>;

Operation calling(PooledWord word) {
    return {.verb = Verb::kCall,
            .word = static_cast<std::uint8_t>(word),
            .needs_lock = true,
            .gives_up = word == PooledWord::kDrop};
}

PoolScope pool_of(std::size_t connections, const PooledClient& client,
                  const std::vector<Operation>& between = {}) {
    PoolScope scope;
    scope.world.keys = scope.options.keys;
    scope.options.connections = connections;
    scope.options.repairs = transactional::kResetOnReturn;
    scope.world.crashes_max = 1;
    add_kind(scope, client, between);
    return scope;
}

constexpr PooledClient kWaitsInSession{true, false};
constexpr PooledClient kWaitsInTransaction{false, false};
constexpr PooledClient kTries{false, true};

// The scope of a seed; a third of them has a planted bug.
PoolScope random_pool(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned most) { return random() % most; };
    PoolScope scope;
    scope.options.connections = 1 + below(3);
    scope.options.repairs = below(3) == 0 ? 0 : transactional::kResetOnReturn;
    if (below(4) == 0) {
        scope.options.keys.push_back("other");
    }
    scope.world.keys = scope.options.keys;
    scope.world.crashes_max = below(2) == 0 ? 1 : 0;
    for (auto kinds = 1 + below(3) / 2; kinds > 0; --kinds) {
        const PooledClient client{below(2) == 0, below(3) == 0};
        std::vector<Operation> between;
        for (auto i = below(3); i > 0; --i) {
            between.push_back(calling(below(4) == 0 ? PooledWord::kDrop : PooledWord::kEffect));
        }
        if (below(4) == 0) {  // once more inside of it, or another key
            Operation inner{.verb = Verb::kAcquire};
            inner.key = static_cast<std::uint8_t>(scope.options.keys.size() - 1);
            Operation end = inner;
            end.verb = Verb::kRelease;
            between.insert(between.end(), {inner, end});
        }
        add_kind(scope, client, between);
        scope.world.callers.back().script[0].until_acquired = below(3) == 0;
    }
    const auto bugs = transactional::session_pool_bugs();
    if (below(3) == 0) {
        bugs[below(static_cast<unsigned>(bugs.size()))].plant(scope.options);
    }
    return scope;
}

const std::vector<const Property*>& checked() { return shown_by<PooledByRecord>(); }

proofs::ReplicatedWorld taken_apart(const PoolScope& scope) {
    return server_taken_apart<PooledByRecord>(scope);
}

// Pools of up to `connections`.
void compare_pools(std::uint32_t first, std::uint32_t count, std::size_t callers,
                   std::size_t connections) {
    const auto draw = [&](std::uint32_t seed) {
        PoolScope scope = random_pool(seed);
        scope.options.connections = std::min(scope.options.connections, connections);
        return scope;
    };
    compare_servers<PooledLock, PooledByRecord>(draw, first, count, callers, true);
}

TEST(PoolProofTest, APoolIsProvedForEveryNumberOfCallers) {
    constexpr std::size_t kConnectionsMax = testing_model::kIsSlowBuild ? 1 : 2;
    for (const PooledClient& client : {kWaitsInSession, kWaitsInTransaction, kTries}) {
        for (std::size_t connections = 1; connections <= kConnectionsMax; ++connections) {
            const PoolScope scope = pool_of(connections, client, {calling(PooledWord::kEffect)});
            const proofs::ReplicatedWorld apart = taken_apart(scope);
            const auto made = proofs::prove(apart, {.check = checked()});
            ASSERT_TRUE(made.certificate) << connections << ": " << made.why_not;
            EXPECT_EQ(proofs::why_refused(*made.certificate, apart), "");
        }
    }
}

// Obviously wrong: the end of one lock grants it to all in line.
TEST(PoolProofTest, ALineThatIsGrantedWholeIsNotProvedAndIsViolatedByThree) {
    PoolScope scope = pool_of(3, kWaitsInSession);
    plant(transactional::session_pool_bugs(), "grants_all_in_line", scope.options);
    EXPECT_FALSE(proofs::prove(taken_apart(scope), {.check = only("grant-overlap")}).certificate);
    for (const std::size_t callers : {2U, 3U}) {
        const PoolScope many = with_so_many(scope, {callers});
        const Found found = explored_server<PooledByRecord>(PooledLock(many.options), many.world);
        EXPECT_EQ(found.violated.contains("grant-overlap"), callers == 3);
    }
}

TEST(PoolProofTest, ALockThatIsLeftOnAConnectionOfThePoolIsNotProved) {
    PoolScope scope = pool_of(2, kWaitsInSession, {calling(PooledWord::kDrop)});
    const auto is_proved = [&] {
        return proofs::prove(taken_apart(scope), {.check = only("phantom"), .markings_max = 2'000})
            .certificate.has_value();
    };
    EXPECT_TRUE(is_proved());
    scope.options.repairs = 0;
    EXPECT_FALSE(is_proved());
}

TEST(PoolProofTest, WhatIsNotProvedSaysWhy) {
    EXPECT_EQ(PooledByRecord::why_not(pool_of(2, kTries).world), "");
    EXPECT_NE(
        PooledByRecord::why_not(pool_of(2, kTries, {calling(PooledWord::kOtherConnection)}).world),
        "");
    EXPECT_NE(PooledByRecord::why_not(pool_of(2, kTries, {{.verb = Verb::kSleep}}).world), "");
    const proofs::ReplicatedWorld apart = taken_apart(pool_of(2, kWaitsInSession));
    EXPECT_FALSE(proofs::prove(apart, {.check = only("token-order")}).certificate);
}

TEST(PoolProofTest, RandomPoolsAreExploredAlikeAndNoProofIsContradicted) {
    compare_pools(1, 10, 2, 2);
}

// With the label `long`, as every_number_pools_long (cmake/LockkeeperTests.cmake).
TEST(PoolProofTest, DISABLED_LongRandomPoolsAreExploredAlikeAndNoProofIsContradicted) {
    const auto seeds = testing_model::seeds_of_long_run({1'000'000, 2'000});
    compare_pools(seeds.first, seeds.count, 3, 3);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs::pools
