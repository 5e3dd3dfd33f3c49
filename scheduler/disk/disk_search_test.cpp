// SPDX-License-Identifier: Apache-2.0

// A search that goes on from disk finds what the same search finds in memory.
#include "scheduler/disk/disk_search_test.hpp"

#include <gmock/gmock.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

ExploreOptions asking(const CanalScope& scope) {
    ExploreOptions options;
    options.check = properties_for(scope.world);
    std::erase_if(options.check, [](const Property* property) {
        return property->kind == PropertyKind::kEventually;  // needs the graph
    });
    options.reach = goals();
    options.counting = Counting::kOff;
    return options;
}

TEST(DiskSearch, FindsWhatASearchInMemoryFinds) {
    for (const CanalScope& scope :
         {once_each({1, 2, 2}, 1, 2), counters_only(once_each({1, 1, 2, 2}, 1, 2)), leaking(),
          misused(), with_crashes(once_each({1, 2}, 1, 2), 1)}) {
        const auto system = runner(scope);
        for (const bool symmetry : {false, true}) {
            ExploreOptions options = asking(scope);
            options.symmetry = symmetry;
            const ExploreResult memory = system->explore(options);
            for (const std::uint64_t states : {40U, 1'000U}) {
                const TemporaryDirectory directory;
                expect_same_search(system->explore(on_disk(options, directory, states)), memory);
                EXPECT_TRUE(directory.is_empty()) << "a search that has ended leaves nothing";
            }
        }
    }
}

TEST(DiskSearch, FindsTheSameWithEveryOption) {
    const CanalScope scope = leaking();
    const auto system = runner(scope);
    for (int i = 0; i < 7; ++i) {
        ExploreOptions options = asking(scope);
        options.jobs = i == 0 ? 2 : 1;
        options.sleep_sets = i != 1;
        options.reduction = i == 2 ? Reduction::kPrivateSteps : Reduction::kNone;
        options.causes_max = i == 3 ? kCausesMax : 1;
        options.stop_at_first = i == 4;
        options.depth_max = i == 5 ? 6 : UINT64_MAX;
        options.symmetry = i != 6;
        const TemporaryDirectory directory;
        const ExploreResult memory = system->explore(options);
        expect_same_search(system->explore(on_disk(options, directory, 20, i % 2 == 0 ? 2 : 3)),
                           memory);
    }
}

// The pinned count of explorer_limits_test.cpp.
TEST(DiskSearch, HasThePinnedCounts) {
    ExploreOptions options;
    options.symmetry = false;
    options.counting = Counting::kOff;
    const TemporaryDirectory directory;
    const ExploreResult result =
        runner(warm(once_each({2, 2, 2}, 1, 15), 2))->explore(on_disk(options, directory, 1'000));
    EXPECT_EQ(result.states, 31'374U);
    EXPECT_EQ(result.transitions, 114'600U);
    EXPECT_TRUE(result.complete);
}

// Levels of 200 nodes, and from each node to two of the next level: the second half of a level is
// found when the first is on disk.
TEST(DiskSearch, KnowsWithoutTheGraphThatThereIsNoCycleWhereLevelsTell) {
    constexpr std::uint32_t kWidth = 200;
    constexpr std::uint32_t kLevels = 5;
    GraphSystem graph;
    graph.nodes.resize(1 + kLevels * kWidth);
    for (std::uint16_t i = 0; i < kWidth; ++i) {
        graph.nodes[0].edges.push_back({{0, ActionKind::kStep, i}, 1U + i, 0});
        for (std::uint32_t level = 0; level + 1 < kLevels; ++level) {
            for (std::uint16_t to = 0; to < 2; ++to) {
                const std::uint32_t target = 1 + (level + 1) * kWidth + (i + to * 77U) % kWidth;
                graph.nodes[1 + level * kWidth + i].edges.push_back(
                    {{0, ActionKind::kStep, to}, target, 0});
            }
        }
        graph.nodes[1 + (kLevels - 1) * kWidth + i].finished = true;
    }
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.counting = Counting::kOff;
    const auto system = runner(graph);
    ASSERT_EQ(system->explore(options).acyclic, std::optional(true));
    for (const std::uint64_t states : {1U, 100U}) {
        const TemporaryDirectory directory;
        const ExploreResult disk = system->explore(on_disk(options, directory, states));
        EXPECT_EQ(disk.acyclic, std::optional(true));
        EXPECT_TRUE(disk.complete);
    }
}

// A long way, and from its end back to the beginning, which is on disk by then.
TEST(DiskSearch, DoesNotTakeAGraphWithACycleForOneWithout) {
    constexpr std::uint32_t kNodes = 300;
    GraphSystem graph;
    graph.nodes.resize(kNodes);
    for (std::uint32_t node = 0; node < kNodes; ++node) {
        graph.nodes[node].edges = {{step_of(0), (node + 1) % kNodes, 0}};
    }
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.counting = Counting::kOff;
    const TemporaryDirectory directory;
    const ExploreResult result = runner(graph)->explore(on_disk(options, directory, 40));
    EXPECT_EQ(result.states, kNodes);
    EXPECT_EQ(result.acyclic, std::nullopt);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.limit, "livelock needs all states in memory");
}

TEST(DiskSearch, ThatFitsIntoMemoryHasItsGraph) {
    const CanalScope scope = once_each({1, 2}, 1, 2);
    ExploreOptions options;
    options.check = {find_property("livelock")};
    const auto system = runner(scope);
    const TemporaryDirectory directory;
    const ExploreResult disk = system->explore(on_disk(options, directory, 1'000'000));
    EXPECT_TRUE(disk.complete);
    EXPECT_EQ(disk.interleavings, system->explore(options).interleavings);
    EXPECT_NE(disk.interleavings, std::nullopt);
}

// Successors that are known, of every distance back: what is found again is counted once.
TEST(DiskSearch, KnowsStatesOfAllLevelsBefore) {
    constexpr std::uint32_t kNodes = 700;
    GraphSystem graph;
    graph.nodes.resize(kNodes);
    for (std::uint32_t node = 0; node + 1 < kNodes; ++node) {
        for (const std::uint32_t target : {node + 1, node * 7 % (node + 1), node / 3, node}) {
            graph.nodes[node].edges.push_back(
                {{0, ActionKind::kStep, static_cast<std::uint16_t>(target)}, target, 0});
        }
    }
    graph.nodes.back().finished = true;
    ExploreOptions options;
    options.counting = Counting::kOff;
    const auto system = runner(graph);
    const ExploreResult memory = system->explore(options);
    ASSERT_EQ(memory.states, kNodes);
    for (const std::uint64_t states : {50U, 200U}) {
        const TemporaryDirectory directory;
        expect_same_search(system->explore(on_disk(options, directory, states, 3)), memory);
    }
}

// A tree: each round but the last finds something that can be written. Without that the search
// would end behind its first step.
TEST(DiskSearch, MakesRoomWhereMemoryIsFull) {
    constexpr std::uint32_t kNodes = 511;
    GraphSystem graph;
    graph.nodes.resize(kNodes);
    for (std::uint32_t node = 0; node < kNodes; ++node) {
        graph.nodes[node].finished = 2 * node + 1 >= kNodes;
        for (std::uint16_t i = 0; i < 2 && !graph.nodes[node].finished; ++i) {
            graph.nodes[node].edges.push_back({{0, ActionKind::kStep, i}, 2 * node + 1 + i, 0});
        }
    }
    ExploreOptions options;
    options.counting = Counting::kOff;
    options.bytes_max = 1;
    const TemporaryDirectory directory;
    const ExploreResult result = runner(graph)->explore(on_disk(options, directory, 2));
    EXPECT_EQ(result.states, kNodes);
    EXPECT_EQ(result.limit, "memory") << "the last round leaves nothing to write";
}

}  // namespace
}  // namespace lockkeeper
