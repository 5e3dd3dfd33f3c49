// SPDX-License-Identifier: Apache-2.0

// Trio's scheduler under the search: its own locks, and wrong ones (examples/tasks/trio_locks.py).
#include "validate/programs/outside_test.hpp"
#include "validate/programs/tasks_run.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

constexpr const char* kLocks = " " LOCKKEEPER_SOURCE_DIR "/examples/tasks/trio_locks.py ";

// The property that the shortest run violates; "nothing", or what went wrong.
std::string found_in(const std::string& kind, std::uint16_t places, std::size_t callers,
                     std::uint64_t schedules_max = 150) {
    OutsideWorld world = pairs(callers, places);
    world.cancels_max = 1;
    world.ticks_max = 1;
    OutsideOptions asked;
    asked.schedules_max = schedules_max;
    ProgramOptions options = options_for(
        std::string("/usr/bin/python3") + kLocks + kind + " " + std::to_string(places), world);
    options.is_tasks = true;
    options.answer_seconds = 60;
    Program program(options);
    TasksSearch search(program, world, asked);
    const OutsideResult result = search.search();
    if (!result.finding) {
        return result.diverged.empty() ? "nothing" : "diverged: " + result.diverged;
    }
    const OutsideFinding shrunk = search.shrink(*result.finding);
    const OutsideTrace trace = search.show(shrunk);
    const bool ends_so = !trace.violated.empty() && trace.violated.front() == shrunk.property;
    return ends_so ? std::string(shrunk.property->name) : "does not happen every time";
}

class Trio : public ::testing::Test {
  protected:
    void SetUp() override {
        NEEDS_TOOL("/usr/bin/python3");
        if (system("/usr/bin/python3 -c 'import trio' > /dev/null 2>&1") != 0) {
            SKIP_FOR_LACK_OF("Python's module trio is not installed on this machine");
        }
    }
};

TEST_F(Trio, ItsOwnLocksPass) {
    EXPECT_EQ("nothing", found_in("Lock", 1, 2, 30));
    EXPECT_EQ("nothing", found_in("Semaphore", 3, 4, 30));
    EXPECT_EQ("nothing", found_in("CapacityLimiter", 2, 3, 30));
}

TEST_F(Trio, WhoLooksBeforeHeTakesSharesAPlace) {
    EXPECT_EQ("over-allocation", found_in("racy", 1, 3));
}

TEST_F(Trio, AWaiterThatIsCancelledLosesThePlace) { EXPECT_EQ("leak", found_in("forgets", 1, 2)); }

// The answers of a run that is over are none of the next one.
TEST_F(Trio, AFindingHappensEachTime) { EXPECT_EQ("over-allocation", found_in("twice", 1, 3)); }

}  // namespace
}  // namespace lockkeeper
