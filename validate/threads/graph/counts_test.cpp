// SPDX-License-Identifier: Apache-2.0

// Numbers of executions that others count, too.
#include <gtest/gtest.h>

#include "validate/threads/graph/small_program_test.hpp"

namespace lockkeeper::threads {
namespace {

using namespace small;

// i += j and j += i, n times each, and a third thread that reads both: fib_bench of the SV-COMP
// suite. Under sequential consistency 19,605 executions of four rounds and 218,243 of five are
// published, with release and acquire GenMC 0.10.3 finds 525,630.
SmallProgram fib_bench(int rounds, Order loads, Order stores) {
    SmallProgram program(2);
    for (Location own = 0; own < 2; ++own) {
        for (int round = 0; round < rounds; ++round) {
            program[own].push_back(load(own, loads));
            program[own].push_back(load(1 - own, loads));
            program[own].push_back(store_sum(own, stores));
        }
    }
    program.push_back({load(0, loads), load(1, loads)});
    return program;
}

TEST(ThreadCounts, FibBenchHasAsManyExecutionsAsOthersFind) {
    const auto count = [](Model model, int rounds, Order loads, Order stores) {
        const Counts counts = explore_small(fib_bench(rounds, loads, stores), model, false).counts;
        EXPECT_EQ(counts.stuck + counts.unfinished + counts.inconsistent + counts.dropped, 0U);
        return counts.complete;
    };
    EXPECT_EQ(count(Model::kSc, 4, Order::kSeqCst, Order::kSeqCst), 19605U);
    EXPECT_EQ(count(Model::kC11, 3, Order::kAcquire, Order::kRelease), 2258U);
}

// Half a minute where nothing is optimised.
TEST(ThreadCounts, DISABLED_LongFibBenchHasAsManyExecutionsAsOthersFind) {
    const auto count = [](Model model, Order loads, Order stores) {
        return explore_small(fib_bench(5, loads, stores), model, false).counts.complete;
    };
    EXPECT_EQ(count(Model::kSc, Order::kSeqCst, Order::kSeqCst), 218243U);
    EXPECT_EQ(count(Model::kC11, Order::kAcquire, Order::kRelease), 525630U);
}

// n threads that add to one counter: the orders of n additions.
TEST(ThreadCounts, AdditionsHaveAsManyExecutionsAsOrders) {
    for (const Model model : {Model::kSc, Model::kC11}) {
        std::uint64_t orders = 1;
        for (std::size_t threads = 1; threads <= 5; ++threads) {
            orders *= threads;
            const SmallProgram program(threads, {add(0, 1, Order::kRelaxed)});
            EXPECT_EQ(explore_small(program, model, false).counts.complete, orders);
        }
    }
}

// Threads that lock, write and unlock: one execution for each order of the sections.
TEST(ThreadCounts, ALockHasAsManyExecutionsAsOrdersOfItsSections) {
    const SmallProgram program(3, {lock(0), add(1, 1, Order::kRelaxed), unlock(0)});
    EXPECT_EQ(explore_small(program, Model::kC11, false).counts.complete, 6U);
    EXPECT_EQ(explore_small(program, Model::kSc, false).counts.complete, 6U);
}

TEST(ThreadCounts, TwoLocksInOppositeOrdersGetStuckOnce) {
    const SmallProgram program{{lock(0), lock(1), unlock(1), unlock(0)},
                               {lock(1), lock(0), unlock(0), unlock(1)}};
    const SmallResult result = explore_small(program, Model::kC11);
    EXPECT_EQ(result.counts.complete, 2U);
    EXPECT_EQ(result.counts.stuck, 1U);
}

// Which of the loads sees the change does not matter: the first one, or none.
TEST(ThreadCounts, ALoopThatOnlyWaitsHasOneExecutionForEachEnd) {
    const auto count = [](bool waits_in_loop) {
        SmallStep spin{SmallStep::What::kSpin, 0, Order::kAcquire, 1};
        spin.waits_in_loop = waits_in_loop;
        return explore_small({{store(0, 1, Order::kRelease)}, {spin}}, Model::kC11).counts.complete;
    };
    EXPECT_EQ(count(false), 4U);
    EXPECT_EQ(count(true), 2U);
}

}  // namespace
}  // namespace lockkeeper::threads
