// SPDX-License-Identifier: Apache-2.0

// Several workers: the same verdict, counts and traces as one. The suite's name has it run under
// the thread sanitizer, too.
#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

struct ToldByJobs {
    std::vector<std::uint64_t> numbers;
    std::string limit;
    std::vector<std::string> violations;  // with their schedules
    std::set<std::string> reached;
    std::optional<std::string> interleavings;

    friend bool operator==(const ToldByJobs&, const ToldByJobs&) = default;
};

ToldByJobs told(const Runner& system, ExploreOptions options, std::size_t jobs) {
    options.jobs = jobs;
    const ExploreResult result = system.explore(options);
    ToldByJobs told;
    told.numbers = {result.states, result.transitions, result.depth, result.terminal_states,
                    result.verdict.index()};
    told.limit = result.limit;
    for (const FoundViolation& found : result.violations) {
        told.violations.push_back(std::string(found.property->name) + " " +
                                  to_line(found.schedule));
    }
    told.reached = names(result.reached);
    told.interleavings = result.interleavings;
    return told;
}

void expect_the_same_from_any_number(const Runner& system, const ExploreOptions& options) {
    const ToldByJobs alone = told(system, options, 1);
    for (const std::size_t jobs : {2U, 3U, 4U}) {
        const ToldByJobs together = told(system, options, jobs);
        EXPECT_EQ(together, alone)
            << jobs << " jobs: " << together.numbers[0] << " states, not " << alone.numbers[0];
    }
}

ExploreOptions asking_jobs(const CanalScope& scope) {
    ExploreOptions options;
    options.check = properties_for(scope.world);
    options.reach = goals();
    return options;
}

// Large enough that rounds have many expansions and shards are filled by different workers.
CanalScope four_cold() { return once_each({2, 2, 2, 2}, 1, 2); }

TEST(ExplorerThreads, TellTheSameOfAGraphThatIsSeenWhole) {
    const CanalScope scope = kIsSlowBuild ? once_each({1, 2, 2}, 1, 2) : four_cold();
    ExploreOptions options = asking_jobs(scope);
    for (const Reduction reduction : {Reduction::kNone, Reduction::kPrivateSteps}) {
        for (const bool symmetry : {false, true}) {
            for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
                options.reduction = reduction;
                options.symmetry = symmetry;
                options.storage = storage;
                expect_the_same_from_any_number(*runner(scope), options);
            }
        }
    }
}

TEST(ExplorerThreads, TellTheSameWithCrashes) {
    const CanalScope scope = with_crashes(once_each({1, 2, 2}, 1, 2), 2);
    ExploreOptions options = asking_jobs(scope);
    for (const Reduction reduction : {Reduction::kNone, Reduction::kFaultsLeft}) {
        options.reduction = reduction;
        expect_the_same_from_any_number(*runner(scope), options);
    }
}

TEST(ExplorerThreads, TellTheSameWhenALimitEndsIt) {
    ExploreOptions options = asking_jobs(four_cold());
    options.states_max = 20'000;
    expect_the_same_from_any_number(*runner(four_cold()), options);
    options = asking_jobs(four_cold());
    options.depth_max = 12;
    expect_the_same_from_any_number(*runner(four_cold()), options);
    options = asking_jobs(four_cold());
    options.stop_at_first = true;
    expect_the_same_from_any_number(*runner(four_cold()), options);
}

TEST(ExplorerThreads, TellTheSameOfASystemWithoutParts) {
    GraphSystem graph;
    graph.nodes.resize(9'000);
    for (std::uint32_t id = 0; id < graph.nodes.size(); ++id) {
        graph.nodes[id].finished = true;
        for (std::uint16_t edge = 1; edge <= 3; ++edge) {
            const std::uint32_t target = id * 3 + edge;
            if (target < graph.nodes.size()) {
                const std::uint32_t what = target % 2'999 == 0 ? kCallerDied : kAcquired;
                graph.nodes[id].edges.push_back({{0, ActionKind::kStep, edge}, target, what});
            }
        }
    }
    ExploreOptions options;
    options.check = properties_for({});
    expect_the_same_from_any_number(*runner(graph), options);
}

}  // namespace
}  // namespace lockkeeper
