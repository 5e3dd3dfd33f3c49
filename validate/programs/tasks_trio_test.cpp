// SPDX-License-Identifier: Apache-2.0

// Trio's scheduler under the search: its own locks, and wrong ones (examples/tasks/trio_locks.py).
#include "validate/programs/outside_test.hpp"
#include "validate/programs/tasks_run.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

constexpr const char* kLocks =
    "/usr/bin/python3 " LOCKKEEPER_SOURCE_DIR "/examples/tasks/trio_locks.py ";
constexpr const char* kDeadlines =
    "/usr/bin/python3 " LOCKKEEPER_SOURCE_DIR "/validate/programs/test_children/deadlines_trio.py ";
constexpr const char* kHostile =
    "/usr/bin/python3 " LOCKKEEPER_SOURCE_DIR "/validate/programs/test_children/hostile_trio.py ";

OutsideWorld trio_tasks(std::uint16_t places, std::size_t callers, std::uint32_t cancels = 1) {
    OutsideWorld world = pairs(callers, places);
    world.cancels_max = cancels;
    world.ticks_max = 1;
    return world;
}

// The property that the shortest run violates; "nothing", or what went wrong.
std::string found_by(const std::string& command, const OutsideWorld& world,
                     std::uint64_t schedules_max) {
    OutsideOptions asked;
    asked.schedules_max = schedules_max;
    ProgramOptions options = options_for(command, world);
    options.is_tasks = true;
    Program program(options);
    TasksSearch search(program, world, asked);
    const OutsideResult result = search.search();
    if (!result.finding) {
        if (result.tally.answers.grants == 0) {
            return "nobody is granted anything";
        }
        return result.diverged.empty() ? "nothing" : "diverged: " + result.diverged;
    }
    const OutsideFinding shrunk = search.shrink(*result.finding);
    if (shrunk.property == nullptr) {
        return std::string(name_of(*shrunk.misbehaviour));
    }
    const OutsideTrace trace = search.show(shrunk);
    const bool ends_so = !trace.violated.empty() && trace.violated.front() == shrunk.property;
    return ends_so ? std::string(shrunk.property->name) : "does not happen every time";
}

std::string found_in(const std::string& kind, std::uint16_t places, std::size_t callers,
                     std::uint64_t schedules_max = 150) {
    return found_by(kLocks + kind + " " + std::to_string(places), trio_tasks(places, callers),
                    schedules_max);
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
    EXPECT_EQ("nothing", found_in("StrictFIFOLock", 1, 2, 30));
}

TEST_F(Trio, WhoLooksBeforeHeTakesSharesAPlace) {
    EXPECT_EQ("over-allocation", found_in("racy", 1, 3));
}

TEST_F(Trio, AWaiterThatIsCancelledLosesThePlace) { EXPECT_EQ("leak", found_in("forgets", 1, 2)); }

// Two that wait have deadlines of the same length: the first one passes, and the other does not.
TEST_F(Trio, ADeadlinePassesWithoutTheNextOne) {
    const OutsideWorld no_cancels = trio_tasks(1, 3, 0);
    EXPECT_EQ("over-allocation", found_by(std::string(kLocks) + "impatient", no_cancels, 150));
    EXPECT_EQ("nothing", found_by(std::string(kLocks) + "queue", no_cancels, 60));
}

// Nobody may be early here; a deadline whose moment has come is not.
TEST_F(Trio, ADeadlineOfOneMomentPassesBeforeWhatIsReady) {
    OutsideWorld no_ticks = trio_tasks(1, 2, 0);
    no_ticks.ticks_max = 0;
    EXPECT_EQ("over-allocation", found_by(std::string(kDeadlines) + "same", no_ticks, 150));
    EXPECT_EQ("nothing", found_by(std::string(kDeadlines) + "apart", no_ticks, 150));
}

// The answers of a run that is over are none of the next one.
TEST_F(Trio, AFindingHappensEachTime) { EXPECT_EQ("over-allocation", found_in("twice", 1, 3)); }

struct HostileTrio {
    const char* mode;
    const char* found;
};
class HostileTrioDrivers : public Trio, public ::testing::WithParamInterface<HostileTrio> {};

TEST_P(HostileTrioDrivers, AreUnderstoodOrEndInAClearError) {
    OutsideWorld world = trio_tasks(1, 2);
    world.failures_max = 1;
    std::string found;
    try {
        found = found_by(std::string(kHostile) + GetParam().mode, world, 20);
    } catch (const Misbehaved& error) {
        found = std::string(name_of(error.kind())) + ": " + error.what();
    }
    EXPECT_NE(std::string::npos, found.find(GetParam().found)) << found;
}

constexpr const char* kRefused = "there are no threads, sockets and processes here";

INSTANTIATE_TEST_SUITE_P(
    EachWay, HostileTrioDrivers,
    ::testing::Values(HostileTrio{"threads", kRefused}, HostileTrio{"threads-early", kRefused},
                      HostileTrio{"process", kRefused}, HostileTrio{"reads", kRefused},
                      HostileTrio{"writes", kRefused}, HostileTrio{"setup-reads", kRefused},
                      HostileTrio{"fails-class", "nothing"}, HostileTrio{"tells-itself", "nothing"},
                      HostileTrio{"fails-nonsense", "'no' is no exception"}),
    [](const auto& named) {
        std::string name = named.param.mode;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

// Finalizers of the code under test would run, and might wait for ever.
TEST_F(Trio, NothingRunsBehindTheLastMessage) {
    const std::string command = std::string(kHostile) + "good < /dev/null 2>&1";
    FILE* output = popen(command.c_str(), "r");
    ASSERT_NE(nullptr, output);
    std::string said;
    for (int letter = 0; (letter = std::getc(output)) != EOF;) {
        said += static_cast<char>(letter);
    }
    EXPECT_EQ(0, pclose(output));
    EXPECT_EQ("", said);
}

}  // namespace
}  // namespace lockkeeper
