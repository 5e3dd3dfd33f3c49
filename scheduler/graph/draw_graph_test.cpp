// SPDX-License-Identifier: Apache-2.0

// The drawn graph is the graph that the explorer counts.
#include "scheduler/graph/draw_graph.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

constexpr std::size_t kNoLimit = 100'000;

CanalScope small_scope() { return with_crashes(warm(once_each({1, 1}, 1, 1), 1), 1); }

ExploreResult explored_with(const Runner& runner, bool symmetry) {
    ExploreOptions options;
    options.check = {find_property("leak")};
    options.symmetry = symmetry;
    return runner.explore(options);
}

TEST(DrawnGraph, HasTheStatesAndTransitionsOfTheExploration) {
    const auto made = runner(small_scope());
    for (const bool symmetry : {false, true}) {
        const ExploreResult result = explored_with(*made, symmetry);
        const DrawnGraph graph = draw_graph(made->erased(), symmetry, {}, kNoLimit);
        EXPECT_EQ(result.states, graph.states.size());
        EXPECT_EQ(result.transitions, graph.transitions.size());
        EXPECT_EQ(0U, graph.transitions_left_out);
    }
}

TEST(DrawnGraph, NamesTheActionThatEachTransitionTakes) {
    const ErasedSystem system = runner(small_scope())->erased();
    const DrawnGraph graph = draw_graph(system, false, {}, kNoLimit);
    ErasedSystem::State state = system.initial();
    std::uint32_t at = 0;
    for (int step = 0; step < 10; ++step) {
        const auto next =
            std::find_if(graph.transitions.begin(), graph.transitions.end(),
                         [&](const DrawnTransition& transition) { return transition.from == at; });
        ASSERT_NE(graph.transitions.end(), next);
        system.apply(state, next->action);
        at = next->to;
        EXPECT_EQ(graph.states[at].text, system.show(state));
    }
}

TEST(DrawnGraph, MarksTheStatesThatViolateWhereTheExplorationFindsOne) {
    const auto made = runner(small_scope());
    ASSERT_FALSE(explored_with(*made, false).violations.empty());
    const DrawnGraph graph = draw_graph(made->erased(), false, {find_property("leak")}, kNoLimit);
    const auto leaks =
        std::count_if(graph.states.begin(), graph.states.end(),
                      [](const DrawnState& state) { return !state.violates.empty(); });
    EXPECT_GT(leaks, 0);
    for (const DrawnState& state : graph.states) {
        EXPECT_TRUE(state.violates.empty() || state.is_at_rest) << state.text;
    }
}

TEST(DrawnGraph, ALimitCountsTheStepsThatLeadOut) {
    const auto made = runner(small_scope());
    const DrawnGraph whole = draw_graph(made->erased(), false, {}, kNoLimit);
    const DrawnGraph part = draw_graph(made->erased(), false, {}, 10);
    EXPECT_EQ(10U, part.states.size());
    EXPECT_GT(part.transitions_left_out, 0U);
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(whole.states[i].text, part.states[i].text);
    }
    for (const DrawnTransition& transition : part.transitions) {
        EXPECT_LT(std::max(transition.from, transition.to), 10U);
    }
}

}  // namespace
}  // namespace lockkeeper
