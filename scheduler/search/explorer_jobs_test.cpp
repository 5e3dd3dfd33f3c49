// SPDX-License-Identifier: Apache-2.0

// Several workers: the same verdict, counts and traces as one. The suite's name has it run under
// the thread sanitizer, too.
#include <gmock/gmock.h>

#include "scheduler/disk/disk_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

void expect_the_same_from_any_number(const Runner& system, ExploreOptions options) {
    options.jobs = 1;
    const ExploreResult alone = system.explore(options);
    for (const std::size_t jobs : {2U, 3U, 4U}) {
        SCOPED_TRACE(std::to_string(jobs) + " jobs");
        options.jobs = jobs;
        const ExploreResult together = system.explore(options);
        expect_same_search(together, alone);
        EXPECT_EQ(together.interleavings, alone.interleavings);
    }
}

// Large enough that rounds have many expansions and shards are filled by different workers.
CanalScope four_cold() { return once_each({2, 2, 2, 2}, 1, 2); }

TEST(ExplorerThreads, TellTheSameOfAGraphThatIsSeenWhole) {
    // The large scope needs both reductions here; a limit ends the whole of it below.
    for (const Reduction reduction : {Reduction::kNone, Reduction::kPrivateSteps}) {
        for (const bool symmetry : {false, true}) {
            for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
                const bool is_large = !kIsSlowBuild && symmetry && reduction != Reduction::kNone;
                const CanalScope scope = is_large ? four_cold() : once_each({1, 2, 2}, 1, 2);
                ExploreOptions options = asking_all(scope);
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
    ExploreOptions options = asking_all(scope);
    for (const Reduction reduction : {Reduction::kNone, Reduction::kFaultsLeft}) {
        options.reduction = reduction;
        expect_the_same_from_any_number(*runner(scope), options);
    }
}

TEST(ExplorerThreads, TellTheSameWhenALimitEndsIt) {
    ExploreOptions options = asking_all(four_cold());
    options.states_max = 20'000;
    expect_the_same_from_any_number(*runner(four_cold()), options);
    options = asking_all(four_cold());
    options.depth_max = 12;
    expect_the_same_from_any_number(*runner(four_cold()), options);
    options = asking_all(four_cold());
    options.stop_at_first = true;
    expect_the_same_from_any_number(*runner(four_cold()), options);
}

TEST(ExplorerThreads, TellTheSameOfASystemWithoutParts) {
    ExploreOptions options;
    options.check = properties_for({});
    expect_the_same_from_any_number(*runner(branching_chain(9'000, 2'999)), options);
}

}  // namespace
}  // namespace lockkeeper
