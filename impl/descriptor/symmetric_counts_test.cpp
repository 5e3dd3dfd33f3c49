// SPDX-License-Identifier: Apache-2.0

// States that differ only by a permutation of callers alike are one. Then nothing may depend on
// which of them comes first (symmetry_test.cpp looks at single steps): whichever way a search goes,
// it counts the same states.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "impl/descriptor/reduced_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_descriptor;

ExploreResult counted(const Job& job, Frontier frontier, std::uint64_t states_max = kStatesMost) {
    ExploreOptions options = asking(job, Reduction::kNone, 1);
    options.frontier = frontier;
    options.states_max = states_max;
    return job.runner->explore(options);
}

TEST(SymmetricCounts, OfRandomScopesDoNotDependOnTheOrderOfTheSearch) {
    Random random(17);
    std::set<std::string> met;
    // How many are compared; about one in five that are drawn is small, and has callers alike.
    const std::size_t wanted = testing_model::kIsSlowBuild     ? 40
                               : testing_model::is_short_run() ? 80
                                                               : 1'000;
    std::size_t compared = 0;
    for (std::size_t scope = 0; compared < wanted && scope < 20 * wanted; ++scope) {
        const Scenario drawn = drawn_scope(scenarios(), random);
        if (!is_valid(drawn)) {
            continue;
        }
        const Job job = std::get<Job>(make_job(systems(), drawn));
        const ExploreResult queue = counted(job, Frontier::kQueue);
        if (queue.complete && queue.used_symmetry) {
            EXPECT_EQ(queue.states, counted(job, Frontier::kStack).states) << to_json_text(drawn);
            met.insert(drawn.system);
            ++compared;
        }
    }
    EXPECT_LE(5U, met.size());
    EXPECT_EQ(wanted, compared);
}

// A server that crashes ends sessions one after the other, and one of them stayed in its line: who
// was asked a second time whether it waits depended on its number. 5,957 and 5,943 states.
TEST(SymmetricCounts, OfAServerThatCrashesAndKeepsLocksDoNotDependOnTheCallersNumbers) {
    const std::string text = R"({"version": 1, "system": "transactional_broken",
        "variant": "keeps_locks_at_rollback", "callers": [
        {"script": [{"acquire": {"key": "db"}},
                    {"call": {"what": "read", "key": "db", "unchecked": true}},
                    {"release": {"key": "db"}}], "count": 2, "settings": {"lock_timeout": 2}},
        {"script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}],
         "settings": {"repeatable_read": 0}}],
        "parameters": {"lock_timeout": 3, "notices": 1, "database": 2, "deadlock_timeout": 2},
        "faults": {"server_crashes": 1, "requests_lost": 1}, "check": "safety"})";
    const Scenario scenario = std::get<Scenario>(parse_scenario(text, "in_a_test.json"));
    const Job job = std::get<Job>(make_job(systems(), scenario));
    constexpr std::uint64_t kAll = 100'000;
    const ExploreResult queue = counted(job, Frontier::kQueue, kAll);
    EXPECT_TRUE(queue.complete) << queue.limit;
    EXPECT_EQ(queue.states, counted(job, Frontier::kStack, kAll).states);
}

}  // namespace
}  // namespace lockkeeper
