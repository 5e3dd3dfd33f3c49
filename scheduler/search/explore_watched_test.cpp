// SPDX-License-Identifier: Apache-2.0

// A search that somebody watches: what it tells before it ends, how it is ended from outside, and
// one that begins in the middle of a run.
#include <vector>

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

ExploreOptions asked_about(const char* property) {
    ExploreOptions options;
    options.check = {find_property(property)};
    options.counting = Counting::kOff;
    return options;
}

TEST(ExploreWatched, TellsTheFirstViolationOfEachPropertyOnceBeforeTheSearchEnds) {
    const auto system = runner(leaking());
    for (const Frontier frontier : {Frontier::kQueue, Frontier::kStack}) {
        ExploreOptions options = asked_about("leak");
        options.frontier = frontier;
        std::vector<FoundViolation> told;
        std::uint64_t states_when_told = 0;
        std::uint64_t states = 0;
        options.progress = [&](const ExploreProgress& progress) { states = progress.states; };
        options.found = [&](const FoundViolation& violation) {
            told.push_back(violation);
            states_when_told = states;
        };
        const ExploreResult result = system->explore(options);
        ASSERT_EQ(1U, result.violations.size());
        if (frontier == Frontier::kStack) {  // so few states are one look
            EXPECT_LE(told.size(), 1U);
            continue;
        }
        ASSERT_EQ(1U, told.size());
        EXPECT_EQ(options.check[0], told[0].property);
        EXPECT_EQ(result.violations[0].schedule, told[0].schedule);
        EXPECT_LT(states_when_told, result.states);
    }
}

TEST(ExploreWatched, EndsWithWhatItHasWhenItIsToldToStop) {
    const auto system = runner(warm(once_each({2, 2, 2}, 1, 15), 2));
    ExploreOptions options = asked_about("leak");
    const std::uint64_t all = system->explore(options).states;
    int looks = 0;
    options.stop = [&] { return ++looks > 3; };
    const ExploreResult result = system->explore(options);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ("interrupted", result.limit);
    EXPECT_LT(result.states, all);
    EXPECT_FALSE(interrupt_requested());
}

TEST(ExploreWatched, StopsInTheGraphBehindTheSearchToo) {
    const auto system = runner(leaking());
    ExploreOptions options = asked_about("livelock");
    options.counting = Counting::kOn;
    bool has_searched = false;
    const std::uint64_t depth = system->explore(options).depth;
    options.progress = [&](const ExploreProgress& progress) {
        has_searched = progress.depth == depth;
    };
    options.stop = [&] { return has_searched; };
    const ExploreResult result = system->explore(options);
    EXPECT_EQ("interrupted", result.limit);
    EXPECT_EQ(std::nullopt, result.interleavings);
}

// From the state behind each step of the shortest violation, the rest of it is the shortest way.
TEST(ExploreWatched, FromTheMiddleOfARunFindsTheRestOfTheShortestWay) {
    const auto whole = runner(leaking());
    ExploreOptions options = asked_about("leak");
    options.stop_at_first = true;
    const std::vector<Action> way = whole->explore(options).violations.at(0).schedule.actions;
    const ErasedSystem system = whole->erased();
    ErasedSystem::State state = system.initial();
    for (std::size_t done = 0; done < way.size(); ++done) {
        const auto rest = make_erased_runner(system.beginning_in(state), MakeWalker(),
                                             whole->world(), whole->features());
        const ExploreResult result = rest->explore(options);
        ASSERT_EQ(1U, result.violations.size());
        EXPECT_EQ(way.size() - done, result.violations[0].schedule.actions.size());
        system.apply(state, way[done]);
    }
    EXPECT_EQ(state.bytes, system.beginning_in(state).initial().bytes);
    EXPECT_NE(state.bytes, system.initial().bytes);
}

}  // namespace
}  // namespace lockkeeper
