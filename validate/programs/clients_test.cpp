// SPDX-License-Identifier: Apache-2.0

// The clients of examples/outside: blocking code in threads, hooks, labels.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

std::string blocking(const std::string& tool, const std::string& mode) {
    return other_child(std::string("blocking.") + (tool == "node" ? "js " : "py ") + mode, tool);
}

class BlockingCodeIn : public ::testing::TestWithParam<const char*> {};

// The same algorithm, the same questions, the same numbers as counter.py with its coroutines.
TEST_P(BlockingCodeIn, IsSearchedAsCoroutinesAre) {
    NEEDS_TOOL(GetParam());
    NEEDS_TOOL("python3");
    for (const char* mode : {"atomic", "counter"}) {
        const bool is_right = std::string(mode) == "atomic";
        const Searched coroutines(
            example("python3", std::string("counter.py") + (is_right ? " --atomic" : "")),
            pairs(2, 1));
        const Searched threads(blocking(GetParam(), mode), pairs(2, 1));
        EXPECT_EQ(is_right ? "nothing" : "over-allocation", threads.found());
        expect_same(coroutines.result, threads.result);
    }
}

TEST_P(BlockingCodeIn, RunsAtTheBlackBoxLevelInTheDataDirectory) {
    NEEDS_TOOL(GetParam());
    EXPECT_EQ(Passed::kName, run_black_box_of(blocking(GetParam(), "files")));
}

// The client keeps its own store, and may be interrupted between the read and the write.
TEST_P(BlockingCodeIn, KeepsItsStoreAtTheBlackBoxLevel) {
    NEEDS_TOOL(GetParam());
    EXPECT_EQ(Passed::kName, run_black_box_of(blocking(GetParam(), "atomic")));
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, BlockingCodeIn, ::testing::Values("python3", "node"),
                         [](const auto& named) { return std::string(named.param); });

// Each acquire blocks its thread until the release of another caller.
TEST(Clients, ACallerMayWaitForAnother) {
    NEEDS_TOOL("python3");
    EXPECT_EQ(Passed::kName, run_black_box_of(blocking("python3", "waits")));
}

TEST(Clients, HooksSayWhenToForget) {
    NEEDS_TOOL("python3");
    NEEDS_TOOL("node");
    OutsideWorld world = pairs(2, 1);
    world.world.crashes_max = 1;
    for (const std::string& command :
         {other_child("blocking.py "), other_child("hooks.js ", "node")}) {
        EXPECT_EQ("nothing", Searched(command + "memory", world).found()) << command;
        EXPECT_EQ("leak", Searched(command + "no-crash", world).found()) << command;
        EXPECT_NE("nothing", Searched(command + "no-reset", world).found()) << command;
    }
}

TEST(Clients, ALabelOfTheClockIsShown) {
    NEEDS_TOOL("python3");
    Searched searched(blocking("python3", "memory"), pairs(1, 1));
    const OutsideTrace trace =
        searched.search->replay(std::get<Schedule>(parse_schedule("lk1:1:s0")).actions);
    ASSERT_EQ(1U, trace.steps.size());
    EXPECT_EQ("A1 acquire: now looks at db", trace.steps[0].text);
    EXPECT_EQ("-> 0", trace.steps[0].result);
}

}  // namespace
}  // namespace lockkeeper
