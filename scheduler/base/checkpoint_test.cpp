// SPDX-License-Identifier: Apache-2.0

// Going on where a search was ended: as if it had never been. Files that are not what they should
// be are refused.
#include "scheduler/base/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::HasSubstr;

class Checkpoint : public ::testing::Test {
  public:
    Checkpoint()
        : directory_(std::filesystem::temp_directory_path() /
                     ("lockkeeper-checkpoint-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(directory_);
    }
    ~Checkpoint() override { std::filesystem::remove_all(directory_); }

  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }

    // Interrupted after the level with so many states, and kept.
    void interrupt_after(const Runner& system, ExploreOptions options, std::uint64_t states) {
        options.progress = [=](const ExploreProgress& progress) {
            if (progress.states >= states) {
                request_interrupt();
            }
        };
        options.checkpoint.save_to = path("kept");
        options.checkpoint.identity = "this";
        const ExploreResult result = system.explore(options);
        clear_interrupt();
        ASSERT_EQ(result.limit, "interrupted");
        ASSERT_EQ(result.checkpoint_written, path("kept"));
        ASSERT_EQ(result.checkpoint_error, "");
    }

    [[nodiscard]] std::string kept() const {
        std::ifstream file(path("kept"), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void replace(const std::string& bytes) const {
        std::ofstream(path("kept"), std::ios::binary) << bytes;
    }

    // The words with which going on is refused.
    [[nodiscard]] std::string refusal(const Runner& system, ExploreOptions options,
                                      const std::string& identity = "this") const {
        options.checkpoint.resume_from = path("kept");
        options.checkpoint.identity = identity;
        try {
            const ExploreResult result = system.explore(options);
            return result.states > 0 ? "accepted" : "nothing found";
        } catch (const CheckpointError& error) {
            return error.what();
        }
    }

  private:
    std::filesystem::path directory_;
};

CanalScope scope() { return once_each({1, 2, 2}, 1, 2); }

ExploreOptions asking() {
    ExploreOptions options;
    options.check = properties_for(scope().world);
    options.reach = goals();
    options.symmetry = false;
    options.counting = Counting::kOff;
    return options;
}

void expect_equal(const ExploreResult& resumed, const ExploreResult& whole) {
    EXPECT_TRUE(resumed.complete);
    EXPECT_EQ(resumed.states, whole.states);
    EXPECT_EQ(resumed.transitions, whole.transitions);
    EXPECT_EQ(resumed.depth, whole.depth);
    EXPECT_EQ(resumed.terminal_states, whole.terminal_states);
    EXPECT_EQ(names(resumed.reached), names(whole.reached));
    ASSERT_EQ(resumed.violations.size(), whole.violations.size());
    for (std::size_t i = 0; i < whole.violations.size(); ++i) {
        EXPECT_EQ(resumed.violations[i].property, whole.violations[i].property);
        EXPECT_EQ(resumed.violations[i].schedule.actions, whole.violations[i].schedule.actions);
    }
}

TEST_F(Checkpoint, GoingOnTellsWhatASearchInOneGoTells) {
    const auto system = runner(scope());
    for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
        for (const Reduction reduction :
             {Reduction::kNone, Reduction::kPrivateSteps, Reduction::kFaultsLeft}) {
            ExploreOptions options = asking();
            options.storage = storage;
            options.reduction = reduction;
            const ExploreResult whole = system->explore(options);
            ASSERT_TRUE(whole.complete);
            for (const std::uint64_t states : {1U, 50U, 1'000U}) {
                interrupt_after(*system, options, states);
                ExploreOptions onward = options;
                onward.checkpoint.resume_from = path("kept");
                onward.checkpoint.identity = "this";
                onward.jobs = 2;
                expect_equal(system->explore(onward), whole);
            }
        }
    }
}

// A, inside a call, goes back at once; behind that a long way on.
TEST_F(Checkpoint, RemembersThatATransitionHasLedBack) {
    GraphSystem graph;
    constexpr std::uint32_t kNodes = 100;
    graph.nodes.resize(kNodes);
    graph.nodes[1].calling = 1;
    for (std::uint32_t node = 0; node + 1 < kNodes; ++node) {
        graph.nodes[node].edges = {{step_of(0), node + 1, 0}};
    }
    graph.nodes[1].edges.push_back({{0, ActionKind::kCrash, 0}, 0, 0});
    graph.nodes.back().finished = true;
    const auto system = runner(graph);
    ExploreOptions options;
    options.check = {find_property("livelock")};
    options.counting = Counting::kOff;
    ASSERT_EQ(system->explore(options).acyclic, std::optional(false));
    interrupt_after(*system, options, kNodes / 2);
    options.checkpoint.resume_from = path("kept");
    options.checkpoint.identity = "this";
    EXPECT_EQ(system->explore(options).acyclic, std::optional(false));
}

TEST_F(Checkpoint, ASearchMayBeInterruptedManyTimes) {
    const auto system = runner(scope());
    const ExploreResult whole = system->explore(asking());
    interrupt_after(*system, asking(), 100);
    for (std::uint64_t states = 500; states < whole.states; states += whole.states / 5) {
        ExploreOptions onward = asking();
        onward.checkpoint.resume_from = path("kept");
        interrupt_after(*system, onward, states);
    }
    ExploreOptions last = asking();
    last.checkpoint.resume_from = path("kept");
    last.checkpoint.identity = "this";
    expect_equal(system->explore(last), whole);
}

// Many thousands of states take more than no time at all.
TEST_F(Checkpoint, ThatTakesTooLongToReadEndsTheSearchWithoutResult) {
    const auto system = runner(warm(once_each({2, 2, 2}, 1, 15), 2));
    ExploreOptions options;
    options.symmetry = false;
    interrupt_after(*system, options, 20'000);
    const std::string before = kept();
    options.checkpoint.resume_from = path("kept");
    options.checkpoint.save_to = path("kept");
    options.checkpoint.identity = "this";
    options.seconds_max = 1e-9;
    const ExploreResult result = system->explore(options);
    EXPECT_EQ("time", result.limit);
    EXPECT_EQ(0U, result.states);
    EXPECT_EQ("", result.checkpoint_written);
    EXPECT_EQ(before, kept());
    options.seconds_max = 1000;
    EXPECT_TRUE(system->explore(options).complete);
}

TEST_F(Checkpoint, IsNotWrittenWhenTheSearchCameToItsEnd) {
    ExploreOptions options = asking();
    options.checkpoint.save_to = path("kept");
    const ExploreResult result = runner(scope())->explore(options);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.checkpoint_written, "");
    EXPECT_FALSE(std::filesystem::exists(path("kept")));
}

TEST_F(Checkpoint, OfSomethingElseIsRefused) {
    const auto system = runner(scope());
    interrupt_after(*system, asking(), 500);
    EXPECT_EQ(refusal(*system, asking()), "accepted");
    EXPECT_THAT(refusal(*system, asking(), "other"), HasSubstr("of another scenario"));
    std::filesystem::remove(path("kept"));
    EXPECT_THAT(refusal(*system, asking()), HasSubstr("kept: checkpoint cannot be read"));
    std::filesystem::create_directory(path("kept"));
    EXPECT_THAT(refusal(*system, asking()), HasSubstr("kept: checkpoint"));
}

// Every byte, one after the other; and every length.
TEST_F(Checkpoint, DamagedOrTruncatedIsRefused) {
    const CanalScope small = once_each({1, 1}, 1, 1);
    const auto system = runner(small);
    ExploreOptions options = asking();
    interrupt_after(*system, options, 60);
    const std::string whole = kept();
    ASSERT_EQ(refusal(*system, options), "accepted");
    const std::size_t stride = kIsSlowBuild ? 37 : 5;
    for (std::size_t at = 0; at < whole.size(); at += stride) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
        replace(damaged);
        ASSERT_THAT(refusal(*system, options), HasSubstr("kept: checkpoint ")) << "byte " << at;
        replace(whole.substr(0, at));
        ASSERT_THAT(refusal(*system, options), HasSubstr("kept: checkpoint ")) << "length " << at;
    }
    replace(whole + "x");
    EXPECT_THAT(refusal(*system, options), HasSubstr("kept: checkpoint "));
}

TEST_F(Checkpoint, ThatCannotBeWrittenCostsNoResult) {
    ExploreOptions options = asking();
    options.states_max = 100;
    options.checkpoint.save_to = path("no/such/directory");
    const ExploreResult result = runner(scope())->explore(options);
    EXPECT_EQ(result.limit, "states");
    EXPECT_GE(result.states, 100U);
    EXPECT_EQ(result.checkpoint_written, "");
    EXPECT_THAT(result.checkpoint_error, HasSubstr("cannot be written"));
}

TEST_F(Checkpoint, OnAFullDiskIsToldWithItsName) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{100'000}}) {
        const UnfinishedFile full{::open("/dev/full", O_WRONLY | O_CLOEXEC), ""};
        ASSERT_GE(full.descriptor, 0);
        try {
            CheckpointWriter writer(path("kept"), full);
            writer.text(std::string(size, 'x'));
            writer.close();
            ADD_FAILURE() << "it was written";
        } catch (const CheckpointError& error) {
            EXPECT_EQ(path("kept") + ": checkpoint cannot be written: No space left on device",
                      error.what());
        }
    }
    EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path("kept")).parent_path()));
}

TEST_F(Checkpoint, LeavesNoUnfinishedFile) {
    {
        CheckpointWriter writer(path("begun"));
        writer.text("something");
    }
    EXPECT_FALSE(std::filesystem::exists(path("begun")));
    EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path("begun")).parent_path()));
}

}  // namespace
}  // namespace lockkeeper
