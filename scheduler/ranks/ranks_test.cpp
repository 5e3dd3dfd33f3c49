// SPDX-License-Identifier: Apache-2.0

// Several ranks, here threads: the same verdict, counts and traces as one process, for all options
// and any number of ranks. The suite's name has it run under the thread sanitizer, too.
#include "scheduler/ranks/ranks.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "model/slow_build_test.hpp"
#include "scheduler/base/checkpoint.hpp"
#include "scheduler/disk/disk_search_test.hpp"
#include "scheduler/random_scopes_test.hpp"
#include "scheduler/ranks/thread_ranks_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::HasSubstr;

std::vector<ExploreResult> explored_by(std::size_t count, const Runner& system,
                                       const ExploreOptions& asked) {
    return on_ranks<ExploreResult>(count, [&](Ranks& ranks) {
        ExploreOptions options = asked;
        options.ranks = &ranks;
        return system.explore(options);
    });
}

void expect_the_same_from_all(const Runner& system, const ExploreOptions& options,
                              std::initializer_list<std::size_t> counts = {1, 2, 3, 4}) {
    const ExploreResult alone = system.explore(options);
    for (const std::size_t count : counts) {
        SCOPED_TRACE(std::to_string(count) + " ranks");
        for (const ExploreResult& result : explored_by(count, system, options)) {
            expect_same_search(result, alone);
            EXPECT_EQ(result.interleavings, alone.interleavings);
            EXPECT_EQ(result.acyclic, alone.acyclic);
            EXPECT_EQ(result.ranks->count, count);
        }
    }
}

CanalScope of_ranks() {
    return kIsSlowBuild ? once_each({1, 2, 2}, 1, 2) : once_each({2, 2, 2, 2}, 1, 2);
}

// The large scope needs both reductions here; the tests below look at the whole of it.
TEST(RanksThreads, TellTheSameOfAGraphThatIsSeenWhole) {
    for (const Reduction reduction : {Reduction::kNone, Reduction::kPrivateSteps}) {
        for (const bool symmetry : {false, true}) {
            for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
                const bool is_large = symmetry && reduction != Reduction::kNone;
                const CanalScope scope = is_large ? of_ranks() : once_each({1, 2, 2}, 1, 2);
                ExploreOptions options = asking_all(scope);
                options.reduction = reduction;
                options.symmetry = symmetry;
                options.storage = storage;
                expect_the_same_from_all(*runner(scope), options, {2, 3});
            }
        }
    }
}

TEST(RanksThreads, TellTheSameWithAShardForEachAndWithWorkers) {
    ExploreOptions options = asking_all(of_ranks());
    options.sleep_sets = false;
    expect_the_same_from_all(*runner(of_ranks()), options, {1, 4, kStateShards});
    options.jobs = 2;
    options.sleep_sets = true;
    expect_the_same_from_all(*runner(of_ranks()), options, {2, 3});
}

TEST(RanksThreads, TellTheSameWithCrashes) {
    constexpr std::uint8_t kCrashes = testing_model::kIsSlowBuild ? 1 : 2;
    const CanalScope scope = with_crashes(once_each({1, 2, 2}, 1, 2), kCrashes);
    ExploreOptions options = asking_all(scope);
    for (const Reduction reduction : {Reduction::kNone, Reduction::kFaultsLeft}) {
        options.reduction = reduction;
        expect_the_same_from_all(*runner(scope), options, {2, 4});
    }
}

TEST(RanksThreads, TellTheSameWhenALimitEndsIt) {
    ExploreOptions options = asking_all(of_ranks());
    options.states_max = 20'000;
    expect_the_same_from_all(*runner(of_ranks()), options);
    options = asking_all(of_ranks());
    options.depth_max = 12;
    expect_the_same_from_all(*runner(of_ranks()), options);
    options = asking_all(of_ranks());
    options.stop_at_first = true;
    expect_the_same_from_all(*runner(of_ranks()), options);
}

TEST(RanksThreads, TellTheSameCauses) {
    const CanalScope scope = with_crashes(once_each({1, 2}, 1, 2), 1);
    ExploreOptions options = asking_all(scope);
    options.causes_max = kCausesMax;
    const ExploreResult alone = runner(scope)->explore(options);
    ASSERT_GT(alone.violations.size(), 1U);
    expect_the_same_from_all(*runner(scope), options);
}

TEST(RanksThreads, TellTheSameOfASystemWithoutParts) {
    ExploreOptions options;
    options.check = properties_for({});
    expect_the_same_from_all(*runner(branching_chain(kIsSlowBuild ? 900 : 9'000, 299)), options);
}

RC_GTEST_PROP(RanksThreads, TellTheSameOfEveryScope, ()) {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    const CanalScope scope =
        small_enough(random_scope({3, 3, cyclic, true}), kIsSlowBuild ? 300 : 5'000);
    RC_LOG() << to_text(scope);
    ExploreOptions options = asking_all(scope);
    options.symmetry = *rc::gen::arbitrary<bool>();
    options.stop_at_first = *rc::gen::arbitrary<bool>();
    options.reduction =
        *rc::gen::element(Reduction::kNone, Reduction::kPrivateSteps, Reduction::kFaultsLeft);
    const auto system = runner(scope);
    const ExploreResult alone = system->explore(options);
    const auto count = *rc::gen::inRange<std::size_t>(2, 6);
    for (const ExploreResult& result : explored_by(count, *system, options)) {
        expect_same_search(result, alone);
        RC_ASSERT(!::testing::Test::HasFailure());
    }
}

// --- what only one process can do ----------------------------------------------------------------

// A ring of so many nodes, in which A is inside a call for ever.
GraphSystem ring(std::uint32_t nodes) {
    GraphSystem graph;
    graph.nodes.resize(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        graph.nodes[node].calling = 1;
        graph.nodes[node].edges = {{step_of(0), (node + 1) % nodes, 0}};
    }
    return graph;
}

TEST(RanksThreads, FindALivelockOfASmallScope) {
    ExploreOptions options;
    options.check = {find_property("livelock")};
    ASSERT_EQ(runner(ring(100))->explore(options).violations.size(), 1U);
    expect_the_same_from_all(*runner(ring(100)), options, {2});
}

TEST(Ranks, DoNotLookAtAGraphThatOneProcessMayNotHold) {
    constexpr std::size_t kNodes = kCountedStatesMax + 2;
    ExploreOptions options;
    options.counting = Counting::kOn;
    for (const ExploreResult& result :
         explored_by(2, *runner(branching_chain(kNodes, kNodes)), options)) {
        EXPECT_EQ(result.limit,
                  "counting interleavings needs all states in the memory of one process");
        EXPECT_TRUE(is<Inconclusive>(result.verdict));
    }
}

// --- shares and costs ----------------------------------------------------------------------------

TEST(Ranks, OwnShardsOfWhichNoneHasTwoMoreThanAnother) {
    for (std::size_t count = 1; count <= kStateShards; ++count) {
        std::vector<std::size_t> shards(count, 0);
        for (std::size_t shard = 0; shard < kStateShards; ++shard) {
            ++shards.at(Ranks::owner_of(shard, count));
        }
        const auto [least, most] = std::minmax_element(shards.begin(), shards.end());
        EXPECT_GE(*least, 1U) << count;
        EXPECT_LE(*most - *least, 1U) << count;
    }
}

TEST(RanksThreads, CountWhatTheySend) {
    const ExploreOptions options = asking_all(of_ranks());
    const auto system = runner(of_ranks());
    const auto bytes_sent = [&](std::size_t count) {
        return explored_by(count, *system, options).front().ranks->bytes_sent;
    };
    EXPECT_EQ(bytes_sent(1), 0U);
    EXPECT_GT(bytes_sent(2), system->explore(options).states);
    EXPECT_GT(bytes_sent(4), bytes_sent(2));
    const ExploreResult result = explored_by(4, *system, options).front();
    EXPECT_GE(result.ranks->imbalance, 1);
    EXPECT_LT(result.ranks->imbalance, 1.5);
}

// --- ends ----------------------------------------------------------------------------------------

TEST(RanksThreads, AllEndWhenOneIsStopped) {
    const auto system = runner(of_ranks());
    const auto results = on_ranks<ExploreResult>(3, [&](Ranks& ranks) {
        ExploreOptions options = asking_all(of_ranks());
        options.ranks = &ranks;
        options.stop = [&] { return ranks.rank() == 2; };
        return system->explore(options);
    });
    for (const ExploreResult& result : results) {
        EXPECT_EQ(result.limit, "interrupted");
        EXPECT_EQ(result.states, results.front().states);
    }
}

TEST(RanksThreads, AllEndWhenTheMemoryOfOneIsFull) {
    const auto system = runner(of_ranks());
    const auto results = on_ranks<ExploreResult>(3, [&](Ranks& ranks) {
        ExploreOptions options = asking_all(of_ranks());
        options.ranks = &ranks;
        options.bytes_max = ranks.rank() == 1 ? 1 : UINT64_MAX;
        return system->explore(options);
    });
    for (const ExploreResult& result : results) {
        EXPECT_EQ(result.limit, "memory");
    }
}

// A graph that knows no way on from one of its last nodes, which one rank alone meets.
TEST(RanksThreads, AllEndWhenOneMeetsALimitOfTheLock) {
    struct Narrow : GraphSystem {
        Event apply(State& state, Action action) const {
            const Event event = GraphSystem::apply(state, action);
            if (state.node == 99) {
                throw LimitExceeded("too narrow");
            }
            return event;
        }
    };
    Narrow narrow;
    static_cast<GraphSystem&>(narrow) = ring(100);
    const auto system = runner_of(narrow);
    ExploreOptions options;
    const ExploreResult alone = system->explore(options);
    ASSERT_EQ(alone.limit, "compiled size: too narrow");
    for (const ExploreResult& result : explored_by(3, *system, options)) {
        EXPECT_EQ(result.limit, alone.limit);
        EXPECT_EQ(result.states, alone.states);
    }
}

TEST(RanksThreads, SearchNothingWhenTheyAreAskedDifferentThings) {
    const auto system = runner(of_ranks());
    const auto go = [&](Ranks& ranks) {
        ExploreOptions options = asking_all(of_ranks());
        options.ranks = &ranks;
        options.checkpoint.identity = ranks.rank() == 2 ? "that" : "this";
        return system->explore(options);
    };
    EXPECT_THROW(on_ranks<ExploreResult>(3, go), RanksParted);
}

TEST(RanksThreads, NobodyWaitsForOneThatIsGone) {
    const auto system = runner(of_ranks());
    const auto go = [&](Ranks& ranks) {
        ExploreOptions options = asking_all(of_ranks());
        options.ranks = &ranks;
        options.progress = [&](const ExploreProgress& progress) {
            if (ranks.rank() == 1 && progress.depth > 5) {
                throw InternalError("gone");
            }
        };
        return system->explore(options);
    };
    EXPECT_THROW(on_ranks<ExploreResult>(3, go), std::exception);
}

// --- checkpoints ---------------------------------------------------------------------------------

class RanksThreadsCheckpoint : public ::testing::Test {
  protected:
    [[nodiscard]] std::string kept() const { return directory_.path() / "kept"; }

    [[nodiscard]] ExploreOptions asking() const {
        ExploreOptions options = asking_all(scope_);
        options.counting = Counting::kOff;
        options.checkpoint.identity = "this";
        return options;
    }
    // 0: a process without ranks.
    [[nodiscard]] ExploreResult explored(std::size_t ranks, const ExploreOptions& options) const {
        return ranks == 0 ? runner(scope_)->explore(options)
                          : explored_by(ranks, *runner(scope_), options).front();
    }
    void interrupt(std::size_t ranks, Storage storage) const {
        ExploreOptions options = asking();
        options.storage = storage;
        options.checkpoint.save_to = kept();
        options.states_max = kIsSlowBuild ? 300 : 5'000;
        const ExploreResult result = explored(ranks, options);
        ASSERT_EQ(result.limit, "states");
        ASSERT_EQ(result.checkpoint_error, "");
        ASSERT_EQ(result.checkpoint_written, kept());
    }

    CanalScope scope_ = of_ranks();
    TemporaryDirectory directory_;
};

TEST_F(RanksThreadsCheckpoint, OfAnyNumberIsGoneOnWithByAnyNumber) {
    for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
        ExploreOptions onward = asking();
        onward.storage = storage;
        const ExploreResult whole = explored(0, onward);
        ASSERT_TRUE(whole.complete);
        onward.checkpoint.resume_from = kept();
        for (const std::size_t before : {0U, 2U, 3U}) {
            interrupt(before, storage);
            for (const std::size_t after : {0U, 2U, 4U}) {
                SCOPED_TRACE(std::to_string(before) + ", then " + std::to_string(after));
                expect_same_search(explored(after, onward), whole);
            }
        }
    }
}

TEST_F(RanksThreadsCheckpoint, IsTheFileThatAProcessAloneWrites) {
    const auto written = [&](std::size_t ranks) {
        interrupt(ranks, Storage::kExact);
        std::ifstream file(kept(), std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    const std::string alone = written(0);
    EXPECT_EQ(written(3), alone);
}

TEST_F(RanksThreadsCheckpoint, ThatCannotBeReadEndsAllOfThem) {
    interrupt(2, Storage::kExact);
    std::filesystem::resize_file(kept(), std::filesystem::file_size(kept()) / 2);
    ExploreOptions onward = asking();
    onward.checkpoint.resume_from = kept();
    EXPECT_THROW(static_cast<void>(explored(3, onward)), CheckpointError);
}

TEST_F(RanksThreadsCheckpoint, ThatCannotBeWrittenIsSaidAndTheResultStays) {
    ExploreOptions options = asking();
    options.states_max = 300;
    options.checkpoint.save_to = directory_.path() / "none" / "kept";
    const ExploreResult result = explored(3, options);
    EXPECT_EQ(result.limit, "states");
    EXPECT_THAT(result.checkpoint_error, HasSubstr("none"));
    EXPECT_EQ(result.checkpoint_written, "");
}

}  // namespace
}  // namespace lockkeeper
