// SPDX-License-Identifier: Apache-2.0

// Several workers of `fuzz`: the same verdict, first failing schedule, counts and goals as one. The
// suite's name has it run under the thread sanitizer, too.
#include <gmock/gmock.h>

#include "scheduler/runs/climb_test.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

struct ToldByFuzz {
    std::vector<std::uint64_t> numbers;
    std::string limit;
    std::vector<std::string> violations;  // with their schedules, and who found them
    std::set<std::string> reached;

    friend bool operator==(const ToldByFuzz&, const ToldByFuzz&) = default;
};

ToldByFuzz told(const Runner& system, FuzzOptions options, std::size_t jobs) {
    options.jobs = jobs;
    const FuzzResult result = system.fuzz(options);
    ToldByFuzz told;
    told.numbers = {result.schedules, result.steps, result.cut_schedules, result.verdict.index()};
    told.limit = result.limit;
    for (std::size_t i = 0; i < result.violations.size(); ++i) {
        const FoundViolation& found = result.violations[i];
        told.violations.push_back(std::string(found.property->name) + " by " + result.found_by[i] +
                                  " " + to_line(found.schedule));
    }
    told.reached = names(result.reached);
    return told;
}

ToldByFuzz told_by_any_number(const Runner& system, const FuzzOptions& options) {
    ToldByFuzz alone = told(system, options, 1);
    for (const std::size_t jobs : {2U, 3U}) {
        const ToldByFuzz together = told(system, options, jobs);
        EXPECT_EQ(together, alone)
            << jobs << " jobs: " << together.numbers[0] << " schedules, not " << alone.numbers[0];
    }
    return alone;
}

FuzzOptions asking_fuzz(const CanalScope& scope, const std::string& strategy = "portfolio") {
    FuzzOptions options;
    options.check = properties_for(scope.world);
    options.reach = goals();
    options.strategy = strategy;
    options.schedules_max = kIsSlowBuild ? 400 : 2'000;
    return options;
}

TEST(FuzzThreads, TellTheSameOfALockThatIsWrong) {
    for (const CanalScope& scope : {misused(), leaking()}) {
        for (const char* strategy :
             {"feedback", "portfolio", "random", "rare-faults", "round-robin", "pct:3", "pos"}) {
            FuzzOptions options = asking_fuzz(scope, strategy);
            for (const std::uint64_t seed : {1U, 2U, 3U}) {
                options.seed = seed;
                const ToldByFuzz first = told_by_any_number(*runner(scope), options);
                EXPECT_EQ("first violation", first.limit) << strategy;
                EXPECT_FALSE(first.violations.empty());
            }
            options.stop_at_first = false;
            EXPECT_EQ("schedules", told_by_any_number(*runner(scope), options).limit);
        }
    }
}

TEST(FuzzThreads, TellTheSameOfALockThatIsRight) {
    const CanalScope scope = warm(once_each({2, 2}, 1, 2), 2);
    FuzzOptions options = asking_fuzz(scope);
    options.check = {find_property("over-allocation")};
    const ToldByFuzz right = told_by_any_number(*runner(scope), options);
    EXPECT_EQ("schedules", right.limit);
    EXPECT_EQ(options.schedules_max, right.numbers[0]);
    EXPECT_TRUE(right.violations.empty());
    EXPECT_FALSE(right.reached.empty());
}

// pct expects a run to be as long as the longest before it, and these grow: some runs are made with
// an expectation that is out of date when it is their turn. 2 and 3 jobs give other steps where
// those are not made again.
TEST(FuzzThreads, TellTheSameWhereTheLongestRunGrows) {
    FuzzOptions options;
    options.strategy = "pct:4";
    options.schedules_max = 300;
    options.steps_max = 400;
    const ToldByFuzz told = told_by_any_number(*runner_of(Climb()), options);
    EXPECT_LT(0U, told.numbers[2]) << "some runs are cut, so the longest has grown to the limit";
}

// The start of a run must not depend on which others happened to be made at the same time.
TEST(FuzzThreads, TellTheSameWhereRunsGoOnFromOthersAndLookForLivelock) {
    FuzzOptions options;
    options.strategy = "feedback";
    options.schedules_max = 700;
    options.steps_max = 200;
    const ToldByFuzz all = told_by_any_number(*runner_of(Climb()), options);
    EXPECT_LT(0U, all.numbers[2]);
    CanalScope scope = warm(once_each({1}, 1, std::nullopt), 1);
    scope.world = world_of({{acquire(1, 1), release(1, 1)}, {insist(1, 1)}});
    options.check = {find_property("livelock")};
    const ToldByFuzz cycle = told_by_any_number(*runner(scope), options);
    ASSERT_EQ(1U, cycle.violations.size());
    EXPECT_THAT(cycle.violations.front(), ::testing::HasSubstr("livelock by feedback"));
}

TEST(FuzzThreads, TellTheSameWithKnownSchedulesAndWithFewerRunsThanWorkersCouldMake) {
    FuzzOptions options = asking_fuzz(misused());
    const ToldByFuzz found = told_by_any_number(*runner(misused()), options);
    const std::string& line = found.violations.at(0);
    options.corpus = {std::get<Schedule>(parse_schedule(line.substr(line.find("lk1:"))))};
    const ToldByFuzz known = told_by_any_number(*runner(misused()), options);
    EXPECT_THAT(known.violations.at(0), ::testing::HasSubstr(" by corpus "));
    options.corpus.clear();
    options.stop_at_first = false;
    for (const std::uint64_t schedules : {1U, 2U, 17U, 129U}) {
        options.schedules_max = schedules;
        EXPECT_EQ(schedules, told_by_any_number(*runner(misused()), options).numbers[0]);
    }
}

}  // namespace
}  // namespace lockkeeper
