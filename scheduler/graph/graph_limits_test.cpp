// SPDX-License-Identifier: Apache-2.0
#include "scheduler/graph/graph_limits.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "properties/catalogue.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

std::string limit_of(const GraphLimits& limits) {
    try {
        limits.look(10);
        return "none";
    } catch (const GraphLimitReached& reached) {
        return reached.limit;
    }
}

TEST(GraphLimits, CountWhatTheSearchHasTakenAndWhatIsKept) {
    ExploreOptions options;
    EXPECT_EQ(limit_of({options, 1e9, 1 << 20}), "none");
    options.seconds_max = 5;
    EXPECT_EQ(limit_of({options, 4, 0}), "none");
    EXPECT_EQ(limit_of({options, 5.5, 0}), "time");
    options.bytes_max = 100;
    GraphLimits limits(options, 0, 90);
    EXPECT_EQ(limit_of(limits), "none");
    limits.keep(1);
    EXPECT_EQ(limit_of(limits), "memory");
    EXPECT_EQ(limit_of({}), "none") << "there are none";
}

TEST(GraphLimits, AnInterruptEndsTheLook) {
    request_interrupt();
    EXPECT_EQ(limit_of({ExploreOptions(), 0, 0}), "interrupted");
    clear_interrupt();
}

// A retrying acquire and a release without an end.
CanalScope livelocked() {
    CanalScope scope = warm(once_each({1}, 1, std::nullopt), 1);
    scope.world = world_of({{acquire(1, 1), release(1, 1)}, {insist(1, 1)}});
    return scope;
}

TEST(GraphLimits, ASearchWithTooLittleMemoryForTheGraphIsIncompleteAndCanBeGoneOnWith) {
    const std::string kept = ::testing::TempDir() + "graph_limits_test_kept";
    const auto system = runner(livelocked());
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.counting = Counting::kOff;
    options.checkpoint.save_to = kept;
    const ExploreResult whole = system->explore(options);
    ASSERT_TRUE(whole.complete);
    ASSERT_EQ(whole.violations.size(), 1U);
    // From room for the states alone to room for all.
    std::size_t incomplete = 0;
    for (options.bytes_max = whole.bytes_stored;; options.bytes_max += 64) {
        std::filesystem::remove(kept);
        const ExploreResult result = system->explore(options);
        EXPECT_EQ(result.states, whole.states);
        if (result.complete) {
            EXPECT_EQ(result.violations.size(), 1U);
            break;
        }
        ++incomplete;
        EXPECT_EQ(result.limit, "memory");
        EXPECT_EQ(result.checkpoint_written, kept);
        ExploreOptions onward = options;
        onward.bytes_max = UINT64_MAX;
        onward.checkpoint.resume_from = kept;
        const ExploreResult resumed = system->explore(onward);
        EXPECT_TRUE(resumed.complete);
        EXPECT_EQ(resumed.violations.size(), 1U);
    }
    EXPECT_GT(incomplete, 10U);
    std::filesystem::remove(kept);
}

// Two ways to each node, or a short cut, which is why levels do not tell that there is no cycle.
GraphSystem many_ways(bool is_graded) {
    constexpr std::uint32_t kRungs = 600;
    GraphSystem graph;
    graph.nodes.resize(3 * kRungs + 1);
    for (std::uint32_t first = 0; first < 3 * kRungs; first += 3) {
        graph.nodes[first].edges = {{step_of(0), first + 1, 0}, {step_of(1), first + 2, 0}};
        graph.nodes[first + 1].edges = {{step_of(1), first + 3, 0}};
        graph.nodes[first + 2].edges = {{step_of(0), first + (is_graded ? 3 : 1), 0}};
    }
    graph.nodes.back().finished = true;
    return graph;
}

TEST(GraphLimits, InterleavingsThatNobodyAskedForAndThatWereNotCountedLeaveNothingOpen) {
    for (const bool is_graded : {true, false}) {
        for (const Counting counting : {Counting::kAuto, Counting::kOn}) {
            const auto system = runner(many_ways(is_graded));
            ExploreOptions options;
            options.check = {find_property("livelock")};
            options.counting = counting;
            const ExploreResult counted = system->explore(options);
            ASSERT_TRUE(counted.complete && counted.interleavings);
            std::set<std::string> seen;
            bool has_all = false;
            for (options.bytes_max = counted.bytes_stored; !has_all; options.bytes_max += 4'000) {
                const ExploreResult result = system->explore(options);
                has_all = result.complete && result.interleavings.has_value();
                const bool passed = std::holds_alternative<Passed>(result.verdict);
                EXPECT_EQ(result.complete, passed);
                seen.insert(std::string(result.complete ? "complete" : result.limit) +
                            (result.interleavings ? ", counted" : ""));
            }
            std::set<std::string> expected{"complete, counted"};
            if (counting == Counting::kOn || !is_graded) {
                expected.insert("memory");  // asked for; or livelock is open
            }
            if (counting == Counting::kAuto) {
                expected.insert("complete");
            }
            EXPECT_EQ(seen, expected) << is_graded;
        }
    }
}

// Somebody presses Ctrl-C at the `at`th step that is taken.
struct Interrupted : GraphSystem {
    static inline std::size_t steps = 0;
    static inline std::size_t at = 0;

    Event apply(State& state, Action action) const {
        if (++steps == at) {
            request_interrupt();
        }
        return GraphSystem::apply(state, action);
    }
};

// Two cycles: in one of them A is inside a call for ever.
TEST(GraphLimits, WhatWasFoundBeforeAnInterruptIsReported) {
    Interrupted system;
    system.nodes.resize(3);
    system.nodes[0].edges = {{step_of(0), 1, 0}, {step_of(1), 2, 0}};
    system.nodes[1].calling = 1;
    system.nodes[1].edges = {{step_of(0), 1, 0}};
    system.nodes[2].edges = {{step_of(1), 2, 0}};
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.counting = Counting::kOff;
    std::set<std::pair<bool, bool>> seen;  // complete, found
    for (Interrupted::at = 1;; ++Interrupted::at) {
        Interrupted::steps = 0;
        const ExploreResult result = runner_of(system)->explore(options);
        clear_interrupt();
        EXPECT_EQ(result.limit, result.complete ? "" : "interrupted");
        seen.emplace(result.complete, !result.violations.empty());
        if (Interrupted::steps < Interrupted::at) {
            break;
        }
    }
    EXPECT_THAT(seen, ::testing::UnorderedElementsAre(
                          std::pair(false, false), std::pair(false, true), std::pair(true, true)));
}

}  // namespace
}  // namespace lockkeeper
