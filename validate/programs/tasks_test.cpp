// SPDX-License-Identifier: Apache-2.0

// Locks whose callers are tasks of one event loop.
#include "validate/programs/tasks_test.hpp"

#include <map>
#include <set>

namespace lockkeeper {
namespace {

using namespace testing_outside;

std::string tasks_example(const std::string& arguments, const std::string& tool = "python3") {
    return running(tool) + " " LOCKKEEPER_SOURCE_DIR "/examples/tasks/" + arguments;
}

struct Lock {
    const char* tool;
    const char* file;
    const char* found;
};
class LocksOfTasks : public ::testing::TestWithParam<Lock> {};

// In each of the ways that Node.js has, its lock waits between its look and its taking. The first
// timer fires while nobody could go on: it does not count, and the second one may be early.
TEST(Tasks, WhateverNodeWaitsByIsAChoice) {
    NEEDS_TOOL("node");
    for (const char* way :
         {"promisify-timeout", "promisify-immediate", "promised-timeout", "promised-immediate",
          "promised-interval", "scheduler-wait", "scheduler-yield", "imported-timeout", "signal"}) {
        const SearchedTasks searched(other_child(std::string("waiting_tasks.js ") + way, "node"),
                                     tasks(2, 1, 0, 1), at_most(100));
        EXPECT_EQ("over-allocation", searched.found()) << way << searched.result.diverged;
    }
    const SearchedTasks right(other_child("waiting_tasks.js signal right", "node"),
                              tasks(2, 1, 0, 1), at_most(100));
    EXPECT_EQ("nothing", right.found());
}

// Locks that are right where the loop keeps what asyncio and Node.js promise, and die where it does
// not.
TEST(Tasks, CallbacksRunAsTheLoopRunsThem) {
    NEEDS_TOOL("node");
    NEEDS_TOOL("python3");
    for (const char* way : {"next-tick", "context-of-timer", "context-of-caller",
                            "round-of-immediates", "dates", "timeout-error", "interval"}) {
        const SearchedTasks searched(other_child(std::string("keeping_tasks.js ") + way, "node"),
                                     tasks(2, 1, 1, 1), at_most(20));
        EXPECT_EQ("nothing", searched.found()) << way << searched.result.diverged;
    }
    for (const char* way :
         {"abandoned-generator", "set-of-waiters", "own-factory", "cancels-all"}) {
        const SearchedTasks searched(other_child(std::string("keeping_tasks.py ") + way),
                                     tasks(3, 1, 1), at_most(20));
        EXPECT_EQ("nothing", searched.found()) << way << searched.result.diverged;
    }
}

TEST(Tasks, ATimerWhoseMomentHasComeMayFireBeforeWhatIsReady) {
    NEEDS_TOOL("node");
    const SearchedTasks searched(other_child("waiting_tasks.js two-timers", "node"), tasks(2, 1, 0),
                                 at_most(200));
    EXPECT_EQ("over-allocation", searched.found()) << searched.result.diverged;
}

TEST(Tasks, ATimerOfLessThanAMillisecondMayBeEarly) {
    NEEDS_TOOL("python3");
    for (const std::int64_t ticks : {1, 2}) {
        const SearchedTasks searched(other_child("early_timers.py"), tasks(2, 1, 0, ticks),
                                     at_most(2'000));
        EXPECT_EQ(ticks == 1 ? "nothing" : "over-allocation", searched.found());
        EXPECT_EQ(ticks == 1, searched.result.complete);
    }
}

// One place and two callers, then two places and three callers.
TEST_P(LocksOfTasks, AreFoundWrongOrPass) {
    NEEDS_TOOL(GetParam().tool);
    for (const int count : {1, 2}) {
        const auto places = static_cast<std::uint16_t>(count);
        const SearchedTasks searched(
            tasks_example(GetParam().file + (" " + std::to_string(places)), GetParam().tool),
            tasks(std::size_t{places} + 1, places, 1), at_most(600));
        EXPECT_EQ(GetParam().found, searched.found())
            << GetParam().file << ", places: " << places << searched.result.diverged;
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, LocksOfTasks,
                         ::testing::Values(Lock{"python3", "asyncio_locks.py semaphore", "nothing"},
                                           Lock{"python3", "asyncio_locks.py condition", "nothing"},
                                           Lock{"python3", "asyncio_locks.py queue", "nothing"},
                                           Lock{"python3", "semaphores.py racy", "over-allocation"},
                                           Lock{"python3", "semaphores.py loses", "leak"},
                                           Lock{"python3", "semaphores.py right", "nothing"},
                                           Lock{"node", "node_locks.js racy", "over-allocation"},
                                           Lock{"node", "node_locks.js loses", "leak"},
                                           Lock{"node", "node_locks.js right", "nothing"}),
                         [](const auto& named) {
                             std::string name = named.param.file;
                             std::replace_if(
                                 name.begin(), name.end(),
                                 [](char letter) { return letter == '.' || letter == ' '; }, '_');
                             return name;
                         });

TEST(Tasks, TheLockOfAsyncioIsLookedAtWholly) {
    NEEDS_TOOL("python3");
    const SearchedTasks searched(tasks_example("asyncio_locks.py lock"), tasks(2, 1, 1));
    EXPECT_EQ("nothing", searched.found()) << searched.result.diverged;
    EXPECT_TRUE(searched.result.complete);
}

// Without a cancellation the place is not lost.
TEST(Tasks, AreCancelledOnlyAsOftenAsTheScenarioAllows) {
    NEEDS_TOOL("python3");
    const SearchedTasks searched(tasks_example("semaphores.py loses"), tasks(2, 1, 0));
    EXPECT_EQ("nothing", searched.found());
    EXPECT_TRUE(searched.result.complete);
}

TEST(Tasks, AFindingIsShrunkAndRepeated) {
    NEEDS_TOOL("python3");
    SearchedTasks searched(tasks_example("semaphores.py loses"), tasks(3, 1, 1));
    ASSERT_TRUE(searched.result.finding.has_value());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    const OutsideTrace trace = searched.search->show(shrunk);
    EXPECT_EQ("", searched.search->repeated_difference(shrunk, trace));
    const auto cancels =
        std::count_if(shrunk.actions.begin(), shrunk.actions.end(),
                      [](Action action) { return action.kind == ActionKind::kFault; });
    EXPECT_EQ(1, cancels);
    EXPECT_FALSE(searched.search->causes_of(shrunk).empty());
}

// One caller alone has no choice: the first of its places that is lost is the whole run.
TEST(Tasks, ARunWithoutAChoiceIsShortenedToItsBeginning) {
    NEEDS_TOOL("python3");
    SearchedTasks searched(other_child("hostile_tasks.py cancels-itself"), pairs(1, 1, 3));
    ASSERT_EQ("leak", searched.found());
    const OutsideFinding shrunk = searched.search->shrink(*searched.result.finding);
    EXPECT_LT(shrunk.actions.size(), searched.result.finding->actions.size());
    const OutsideTrace trace = searched.search->show(shrunk);
    EXPECT_EQ("", searched.search->repeated_difference(shrunk, trace));
}

// The place that a waiter was told of is taken by who released it, before the waiter goes on.
TEST(Tasks, WhoReleasesMayAskAgainBeforeAWaiterGoesOn) {
    NEEDS_TOOL("python3");
    for (const bool twice : {false, true}) {
        const SearchedTasks searched(tasks_example("semaphores.py hasty"),
                                     pairs(2, 1, twice ? 2 : 1));
        EXPECT_EQ(twice ? "over-allocation" : "nothing", searched.found());
    }
    ProgramOptions options;
    options.command = tasks_example("semaphores.py hasty");
    options.is_tasks = true;
    options.answer_seconds = 60;
    const ProgramScenario job = for_program(
        std::get<Scenario>(load_for_program("built-in:two-tasks", true, 0)), options, false);
    Program program(job.program);
    TasksSearch search(program, job.world, {});
    EXPECT_TRUE(search.search().finding.has_value());
}

// A waiter is cancelled in few runs of four: all others have to hold, and the cancellation must not
// have been spent on somebody whose call was over.
TEST(Tasks, AWaiterForThreePlacesIsCancelledInFewDrawnSchedules) {
    NEEDS_TOOL("python3");
    OutsideOptions options = at_most(150);
    options.method = OutsideMethod::kRandom;
    const SearchedTasks searched(tasks_example("semaphores.py loses 3"), tasks(4, 3, 1), options);
    EXPECT_EQ("leak", searched.found());
}

TEST(Tasks, ACancellationThatComesTooLateDoesNotCount) {
    NEEDS_TOOL("python3");
    std::ptrdiff_t most = 0;
    OutsideOptions options = at_most(40);
    options.only = Drawn::kRandom;
    options.on_schedule = [&](const std::vector<Action>& actions) {
        most = std::max(most, std::count_if(actions.begin(), actions.end(), is_fault));
    };
    options.method = OutsideMethod::kRandom;
    const SearchedTasks drawn(tasks_example("asyncio_locks.py semaphore"), tasks(2, 1, 1), options);
    EXPECT_LT(1, most);

    const SearchedTasks explored(tasks_example("asyncio_locks.py semaphore"), tasks(1, 1, 1));
    EXPECT_TRUE(explored.result.complete);
    EXPECT_LT(0U, explored.result.reduced);  // the runs that it would only have repeated
}

// The runs of three coroutines, by hand: each waits once, and then notes its name. The loop keeps
// the order of what is ready. The twin chooses who gets ready when, and nothing else.
struct Twin {
    std::vector<int> at = {0, 0, 0};  // 0: not begun; 1: woken; 2: begun, waits once; 3: over
    std::vector<int> round, ready;    // coroutines
    std::vector<int> order;           // of their ends

    // By the order of their ends: in how many runs.
    void explore(std::map<std::string, std::size_t>& runs) const {
        if (order.size() == at.size()) {
            std::string text;
            for (const int each : order) {
                text += std::to_string(each + 1);
            }
            ++runs[text];
            return;
        }
        if (round.empty()) {
            for (std::size_t i = 0; i < at.size(); ++i) {
                if (at[i] == 0) {
                    Twin next = *this;
                    next.at[i] = 1;
                    next.ready.push_back(static_cast<int>(i));
                    next.explore(runs);
                }
            }
        }
        if (round.empty() && ready.empty()) {
            return;
        }
        Twin next = *this;
        if (next.round.empty()) {
            std::swap(next.round, next.ready);
        }
        const int first = next.round.front();
        next.round.erase(next.round.begin());
        int& place = next.at[static_cast<std::size_t>(first)];
        ++place;
        if (place < 4) {  // woken, begun, waited
            next.ready.push_back(first);
        } else {
            next.order.push_back(first);
        }
        next.explore(runs);
    }
};

TEST(Tasks, HaveTheRunsOfANaiveTwin) {
    NEEDS_TOOL("python3");
    std::map<std::string, std::size_t> expected;
    Twin().explore(expected);
    OutsideWorld world = world_of(3, {operation(Verb::kAcquire, 3)});
    ProgramOptions of_program = options_for(other_child("noting_tasks.py"), world);
    of_program.is_tasks = true;
    Program program(of_program);
    TasksRun run(program, world);
    std::map<std::string, std::set<std::vector<Action>>> found;
    std::string order;
    OutsideOptions options;
    options.method = OutsideMethod::kExplore;
    options.on_outcome = [&](const std::string&) {
        order.clear();
        for (const Ledger::Entry& entry : run.entries()) {
            if (entry.shown.type != HistoryType::kInvoke) {
                order += std::to_string(entry.shown.caller + 1);
            }
        }
    };
    options.on_schedule = [&](const std::vector<Action>& actions) { found[order].insert(actions); };
    OutsideSearch search(run, options);
    EXPECT_TRUE(search.search().complete);
    std::map<std::string, std::size_t> runs;
    for (const auto& [each, schedules] : found) {
        runs[each] = schedules.size();
    }
    EXPECT_EQ(expected, runs);
    EXPECT_EQ(6U, runs.size());
}

}  // namespace
}  // namespace lockkeeper
