// SPDX-License-Identifier: Apache-2.0

// Crashes and leaks at the black-box level: what goes with a process, and who gets it afterwards.
#include "validate/programs/black_box.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

// A search ends with what it finds, and a place that nobody gives back is waited for: many seeds
// and a short wait cost nothing where the lock is wrong. Where it is right each seed takes time,
// and the wait ends with the answer.
struct Effort {
    std::uint64_t seeds;
    double recovery_seconds;
};
constexpr Effort kWrong{30, 0.05};
constexpr Effort kRight{3, 10};

BlackBoxResult run(const std::string& command, const OutsideWorld& world, bool one_each,
                   const Effort& effort) {
    BlackBoxOptions options;
    options.schedules_max = effort.seeds;
    options.recovery_seconds = effort.recovery_seconds;
    options.process_per_caller = one_each;
    options.check.ladder = false;
    options.model_is_chosen = false;
    return run_black_box(options_for(command, world), world, options);
}

OutsideWorld crashing(std::uint8_t crashes) {
    OutsideWorld world = pairs(3, 1, 2);
    world.world.crashes_max = crashes;
    for (CallerConfig& caller : world.world.callers) {
        caller.script[0].until_acquired = true;
    }
    return world;
}

std::string found(const BlackBoxResult& result) {
    if (result.misbehaviour) {
        return result.detail;
    }
    return is<Violated>(result.verdict) ? "violated"
           : result.finding             ? result.finding->name
                                        : "nothing";
}

TEST(BlackBoxCrash, AFlockKeepsItsPromiseWhoeverIsKilled) {
    NEEDS_TOOL("python3");
    for (const bool one_each : {false, true}) {
        const BlackBoxResult result =
            run(other_child("file_locks.py flock"), crashing(2), one_each, kRight);
        EXPECT_EQ("nothing", found(result));
        EXPECT_EQ(kRight.seeds, result.schedules);
        EXPECT_GE(result.crashes, kRight.seeds);
        EXPECT_GE(result.tally.answers.grants, kRight.seeds);
    }
}

TEST(BlackBoxCrash, ASharedFlockExcludesNobody) {
    NEEDS_TOOL("python3");
    for (const bool one_each : {false, true}) {
        EXPECT_EQ("violated", found(run(other_child("file_locks.py flock-shared"), crashing(0),
                                        one_each, kWrong)));
    }
}

TEST(BlackBoxCrash, ALockOfTheProcessIsRightWhereEachCallerHasOne) {
    NEEDS_TOOL("python3");
    EXPECT_EQ("violated",
              found(run(other_child("file_locks.py posix"), crashing(0), false, kWrong)));
    EXPECT_EQ("nothing", found(run(other_child("file_locks.py posix"), crashing(1), true, kRight)));
}

TEST(BlackBoxCrash, WhatAKilledHolderTakesToItsGraveIsALeak) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1, 2);
    const std::string command = other_child("file_locks.py file-is-there");
    EXPECT_EQ("nothing", found(run(command, world, true, kRight)));
    world.world.crashes_max = 1;
    for (const bool one_each : {false, true}) {
        const BlackBoxResult result = run(command, world, one_each, kWrong);
        ASSERT_EQ("P2 leak", found(result));
        ASSERT_FALSE(result.finding->records.empty());
        const auto& records = result.history.records;
        EXPECT_EQ("acquire", records[result.finding->records.front()].f);
        EXPECT_EQ("probe", records[result.finding->records.back()].process);
    }
    world.crash_takes = CrashTakes::kCallers;
    EXPECT_EQ("nothing", found(run(command, world, true, kRight)));
}

// Whatever the seed: the scenario asks for a crash, and somebody is left to be killed.
TEST(BlackBoxCrash, WhoStillHoldsAtTheEndIsKilledWhereNobodyWasBefore) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire)});
    world.world.crashes_max = 1;
    const BlackBoxResult result =
        run(other_child("file_locks.py flock"), world, true, {10, kRight.recovery_seconds});
    EXPECT_EQ("nothing", found(result));
    EXPECT_EQ(10U, result.crashes);
}

TEST(BlackBoxCrash, AProgramSaysWhatItsCrashTakes) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1, 2);
    world.world.crashes_max = 1;
    const std::string command = other_child("file_locks.py file-is-there callers");
    EXPECT_EQ("nothing", found(run(command, world, true, kRight)));
    world.crash_takes = CrashTakes::kLocks;  // the scenario's word counts before the program's
    EXPECT_EQ("P2 leak", found(run(command, world, true, kWrong)));
}

// Callers that live elsewhere still believe to hold what the kernel has freed. A release that the
// crash cut off may come at any time, and a mutex of histories lets anybody release: its model can
// explain the second grant by it. The beliefs cannot.
TEST(BlackBoxCrash, AFlockInAServerThatDiesIsNoneForCallersThatLiveOn) {
    NEEDS_TOOL("python3");
    OutsideWorld world = crashing(2);
    world.crash_takes = CrashTakes::kNothing;
    const std::string wrong = found(run(other_child("file_locks.py flock"), world, false, kWrong));
    EXPECT_TRUE(wrong == "violated" || wrong == "P1 over-allocation") << wrong;
}

TEST(BlackBoxCrash, OneCallerThatDiesAloneLeavesTheOthersTheirLocks) {
    NEEDS_TOOL("python3");
    const std::string command = other_child("file_locks.py clears-at-start");
    OutsideWorld world = crashing(2);
    EXPECT_EQ("nothing", found(run(command, world, false, kRight)));
    // Every caller's process clears what is there when it starts, so they are wrong from the
    // beginning only after a crash. Holders stay a while, so that others come meanwhile.
    Operation sleep = operation(Verb::kSleep);
    sleep.number = 50;
    for (CallerConfig& caller : world.world.callers) {
        caller.script.insert(caller.script.begin() + 1, sleep);
    }
    world.world.crashes_max = 4;
    // Two hold at once, or a holder releases what the other has released by then: whichever the
    // kernel's scheduler shows first.
    const std::string wrong = found(run(command, world, true, kWrong));
    EXPECT_TRUE(wrong == "violated" || wrong == "P1 over-allocation" || wrong == "P21 false-ok")
        << wrong;
}

}  // namespace
}  // namespace lockkeeper
