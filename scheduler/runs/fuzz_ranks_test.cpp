// SPDX-License-Identifier: Apache-2.0

// `fuzz` by several ranks, here threads, tells the same as one process.
#include <gmock/gmock.h>

#include "scheduler/ranks/helping_ranks_test.hpp"
#include "scheduler/runs/climb_test.hpp"
#include "scheduler/runs/shared_runs.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

// Runs that nobody looks at are told as numbers, the others in full.
std::string all_that_is_told(const FuzzResult& result) {
    std::string text = result.limit;
    for (const std::uint64_t number : {result.schedules, result.steps, result.cut_schedules,
                                       std::uint64_t{result.verdict.index()}}) {
        text += " " + std::to_string(number);
    }
    for (std::size_t i = 0; i < result.violations.size(); ++i) {
        const FoundViolation& found = result.violations[i];
        text.append("\n").append(found.property->name).append(" by ").append(result.found_by[i]);
        text.append(" ").append(to_line(found.schedule));
    }
    if (const auto* stuck = std::get_if<Stuck>(&result.verdict)) {
        text.append("\nstuck ").append(to_line(stuck->schedule));
    }
    for (const std::string& name : names(result.reached)) {
        text.append("\n").append(name);
    }
    return text;
}

std::string told_by_ranks(std::size_t count, const Runner& system, FuzzOptions options) {
    return with_helping_ranks<std::string>(
        count,
        [&](Ranks& ranks) {
            options.helpers = {&ranks, "the system of this test"};
            return all_that_is_told(system.fuzz(options));
        },
        [&](FollowedTask& task) {
            EXPECT_EQ(task.scope(), "the system of this test");
            follow_runs([&](const FuzzOptions& asked) { return system.run_maker(asked); }, task);
        });
}

std::string told_alike(const Runner& system, const FuzzOptions& options) {
    std::string alone = all_that_is_told(system.fuzz(options));
    for (const std::size_t count : {1U, 2U, 3U, 4U}) {
        EXPECT_EQ(told_by_ranks(count, system, options), alone)
            << count << " ranks, " << options.strategy;
    }
    return alone;
}

FuzzOptions asking_ranks(const CanalScope& scope, const std::string& strategy) {
    FuzzOptions options;
    options.check = properties_for(scope.world);
    options.reach = goals();
    options.strategy = strategy;
    options.schedules_max = kIsSlowBuild ? 300 : 2'000;
    return options;
}

constexpr const char* kStrategies[] = {"feedback",    "portfolio", "random", "rare-faults",
                                       "round-robin", "pct:3",     "pos"};

TEST(FuzzRanks, TellTheSameOfALockThatIsWrong) {
    for (const char* strategy : kStrategies) {
        FuzzOptions options = asking_ranks(misused(), strategy);
        EXPECT_THAT(told_alike(*runner(misused()), options),
                    ::testing::StartsWith("first violation"));
        options.stop_at_first = false;
        EXPECT_THAT(told_alike(*runner(misused()), options),
                    ::testing::AllOf(::testing::StartsWith("schedules"),
                                     ::testing::HasSubstr("lost-reference by")));
    }
}

TEST(FuzzRanks, TellTheSameOfALockThatIsRight) {
    const CanalScope scope = warm(once_each({2, 2}, 1, 2), 2);
    for (const char* strategy : kStrategies) {
        FuzzOptions options = asking_ranks(scope, strategy);
        options.check = {find_property("over-allocation")};
        const std::string right = told_alike(*runner(scope), options);
        EXPECT_THAT(right,
                    ::testing::StartsWith("schedules " + std::to_string(options.schedules_max)));
        EXPECT_THAT(right, ::testing::HasSubstr("\nacquired"));
    }
}

TEST(FuzzRanks, TellTheSameWithWorkersOfTheirOwnAndKnownSchedules) {
    FuzzOptions options = asking_ranks(leaking(), "portfolio");
    options.stop_at_first = false;
    const FuzzResult alone = runner(leaking())->fuzz(options);
    ASSERT_FALSE(alone.violations.empty());
    options.corpus = {alone.violations.front().schedule};
    options.jobs = 2;
    EXPECT_THAT(told_alike(*runner(leaking()), options), ::testing::HasSubstr(" by corpus "));
}

// pct expects a run to be as long as the longest before it, and these grow from run to run.
TEST(FuzzRanks, TellTheSameWhereRunsAreMadeAgain) {
    FuzzOptions options;
    options.strategy = "pct:4";
    options.schedules_max = 300;
    options.steps_max = 400;
    static_cast<void>(told_alike(*runner_of(Climb()), options));
}

TEST(FuzzRanks, TellTheSameOfALivelock) {
    CanalScope scope = warm(once_each({1}, 1, std::nullopt), 1);
    scope.world = world_of({{acquire(1, 1), release(1, 1)}, {insist(1, 1)}});
    FuzzOptions options = asking_ranks(scope, "feedback");
    options.check = {find_property("livelock")};
    options.steps_max = 200;
    EXPECT_THAT(told_alike(*runner(scope), options), ::testing::HasSubstr("livelock by feedback"));
}

TEST(FuzzRanks, TellTheSameWithFewerRunsThanRanks) {
    for (const char* strategy : {"feedback", "pct:3"}) {
        FuzzOptions options = asking_ranks(misused(), strategy);
        options.stop_at_first = false;
        for (const std::uint64_t schedules : {1U, 3U}) {
            options.schedules_max = schedules;
            EXPECT_THAT(told_alike(*runner(misused()), options),
                        ::testing::StartsWith("schedules " + std::to_string(schedules) + " "));
        }
    }
}

// One run in some hundred comes to eleven, and what it throws is told as that of this run, wherever
// it was made.
template <class Thrown>
struct Growing {
    struct State {
        std::uint32_t size = 0;
    };
    static constexpr std::uint32_t kEnd = 12;

    [[nodiscard]] State initial() const { return {}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        if (state.size < kEnd) {
            out.add({0, ActionKind::kStep, 0});
            out.add({1, ActionKind::kStep, 0});
        }
    }
    Event apply(State& state, Action action) const {
        state.size = action.actor == 0 ? state.size + 1 : kEnd;
        if (state.size == kEnd - 1) {
            throw Thrown("eleven is too much");
        }
        return {};
    }
    void observe(const State&, Observation& out) const { out = Observation{}; }
    [[nodiscard]] bool quiescent(const State&) const { return false; }
    [[nodiscard]] bool finished(const State& state) const { return state.size == kEnd; }
    [[nodiscard]] std::string describe(const State&, Action action) const {
        return to_text(action);
    }
    [[nodiscard]] std::string show(const State& state) const { return std::to_string(state.size); }
};

FuzzOptions until_eleven() {
    FuzzOptions options;
    options.strategy = "random";
    options.schedules_max = 20'000;
    return options;
}

TEST(FuzzRanks, TellTheSameWhereARunIsTooLargeForTheModel) {
    const std::string told = told_alike(*runner_of(Growing<LimitExceeded>()), until_eleven());
    EXPECT_THAT(told, ::testing::StartsWith("compiled size: eleven is too much"));
}

TEST(FuzzRanks, PassOnWhatARunThrows) {
    const auto system = runner_of(Growing<InternalError>());
    EXPECT_THROW(static_cast<void>(system->fuzz(until_eleven())), InternalError);
    for (const std::size_t count : {1U, 2U, 4U}) {
        EXPECT_THROW(told_by_ranks(count, *system, until_eleven()), InternalError);
    }
}

TEST(FuzzRanks, EndWithTheFirstWhenItsTimeIsUp) {
    FuzzOptions options = asking_ranks(misused(), "random");
    options.check.clear();
    options.schedules_max = 1'000'000'000;
    options.seconds_max = 0.1;
    for (const std::size_t count : {1U, 3U}) {
        EXPECT_THAT(told_by_ranks(count, *runner(misused()), options),
                    ::testing::StartsWith("time "));
    }
}

TEST(FuzzRanks, TellWhatIsKnownWhenTheyAreInterrupted) {
    for (const char* strategy : {"feedback", "pct:3"}) {
        FuzzOptions options = asking_ranks(misused(), strategy);
        options.check.clear();
        options.schedules_max = 1'000'000'000;
        options.progress = [](const FuzzProgress&) { request_interrupt(); };
        EXPECT_THAT(told_by_ranks(3, *runner(misused()), options),
                    ::testing::MatchesRegex("interrupted [1-9][0-9]+ [1-9](.|\n)*"));
        clear_interrupt();
    }
}

TEST(FuzzRanks, EndWhenOneOfThemEnds) {
    const auto first_alone = [](Ranks& ranks) -> std::string {
        if (!ranks.is_first()) {
            throw RanksParted("ends without a word");
        }
        FuzzOptions options = asking_ranks(misused(), "random");
        options.helpers.ranks = &ranks;
        options.check.clear();
        return all_that_is_told(runner(misused())->fuzz(options));
    };
    EXPECT_THROW(on_ranks<std::string>(3, first_alone), RanksParted);
}

}  // namespace
}  // namespace lockkeeper
