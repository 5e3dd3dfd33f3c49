// SPDX-License-Identifier: Apache-2.0

// Pools and locks that others wrote, as examples/tasks shows them: those of Debian's packages.
#include <algorithm>
#include <cctype>

#include "validate/programs/built_in_scenarios.hpp"
#include "validate/programs/choose_built_ins.hpp"
#include "validate/programs/outside_test.hpp"
#include "validate/programs/program_scenario.hpp"
#include "validate/programs/tasks_run.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

const std::string kExamples = LOCKKEEPER_SOURCE_DIR "/examples/tasks/";

struct Pool {
    const char* module;  // of Python
    const char* driver;
    const char* scenario;
    const char* found;
};
class PoolsOfDebian : public ::testing::TestWithParam<Pool> {};

TEST_P(PoolsOfDebian, AreFoundWrongByTheScenarioOfTheirs) {
    NEEDS_TOOL("/usr/bin/python3");
    const std::string module = GetParam().module;
    if (system(("/usr/bin/python3 -c 'import " + module + "' > /dev/null 2>&1").c_str()) != 0) {
        SKIP_FOR_LACK_OF("Python's module " + module + " is not installed on this machine");
    }
    ProgramOptions options;
    options.command = "/usr/bin/python3 '" + kExamples + GetParam().driver + "'";
    options.is_tasks = true;
    options.answer_seconds = 60;
    const ProgramScenario job = for_program(
        std::get<Scenario>(load_scenario(kExamples + GetParam().scenario)), options, false);
    Program program(job.program);
    TasksSearch search(program, job.world, {});
    const OutsideResult result = search.search();
    ASSERT_TRUE(result.finding.has_value()) << result.diverged;
    ASSERT_NE(nullptr, result.finding->property);
    EXPECT_EQ(GetParam().found, result.finding->property->name);
    const OutsideTrace trace = search.show(*result.finding);
    EXPECT_EQ("", search.repeated_difference(*result.finding, trace));
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, PoolsOfDebian,
    ::testing::Values(Pool{"aiohttp", "aiohttp_connector.py", "newcomer.json", "over-allocation"},
                      Pool{"asyncpg", "asyncpg_pool.py", "late_grant.json", "leak"},
                      Pool{"redis", "redis_pool.py", "pool.json", "leak"},
                      Pool{"psycopg_pool", "psycopg_pool_async.py", "pool.json", "leak"}),
    [](const auto& named) {
        return std::string(named.param.module) + "_" + std::string(named.param.found).substr(0, 4);
    });

struct OwnPool {
    const char* kind;  // of examples/tasks/pools.py, and its places
    const char* scenario;
    const char* found;
};
class BuiltInPools : public ::testing::TestWithParam<OwnPool> {};

TEST_P(BuiltInPools, AreFoundWrongOrPass) {
    NEEDS_TOOL("/usr/bin/python3");
    const OwnPool& pool = GetParam();
    ASSERT_NE(nullptr, built_in_named(pool.scenario));
    ProgramOptions options;
    options.command = "/usr/bin/python3 '" + kExamples + "pools.py' " + pool.kind;
    options.is_tasks = true;
    options.answer_seconds = 60;
    const ProgramScenario job =
        for_program(std::get<Scenario>(load_for_program(pool.scenario, true, 0)), options, false);
    OutsideOptions bounds;
    bounds.schedules_max = 100;
    Program program(job.program);
    TasksSearch search(program, job.world, bounds);
    const OutsideResult result = search.search();
    EXPECT_EQ(pool.found, !result.diverged.empty() ? result.diverged
                          : !result.finding        ? "nothing"
                                                   : result.finding->property->name);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, BuiltInPools,
    ::testing::Values(OwnPool{"right 1", "built-in:pool", "nothing"},
                      OwnPool{"opened 1", "built-in:pool-broken", "nothing"},
                      OwnPool{"right 1", "built-in:pool-destroyed", "nothing"},
                      OwnPool{"right 1", "built-in:pool-closed", "nothing"},
                      OwnPool{"right 3", "built-in:pool-of-three", "nothing"},
                      OwnPool{"cancels 1", "built-in:pool", "leak"},
                      OwnPool{"doubles 1", "built-in:pool-destroyed", "double-release"},
                      OwnPool{"opens 1", "built-in:pool-broken", "leak"},
                      OwnPool{"destroys 1", "built-in:pool-destroyed", "deadlock"},
                      OwnPool{"closes 1", "built-in:pool-closed", "deadlock"},
                      OwnPool{"cancels 3", "built-in:pool-of-three", "leak"},
                      OwnPool{"destroys 3", "built-in:pool-of-three", "leak"}),
    [](const auto& named) {
        std::string name = named.param.kind + std::string(named.param.scenario).substr(8);
        std::replace_if(
            name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
        return name;
    });

// Before anything of it is read: a stepped program meets no cancellations.
TEST(BuiltInPool, IsRefusedByItsLevelWhereTheProgramIsNoneOfTasks) {
    for (const bool is_stepped : {true, false}) {
        BuiltInChoice choice;
        choice.program.command = "true";
        choice.program.stepped = is_stepped;
        choice.files = {"built-in:pool"};
        try {
            static_cast<void>(choose_built_ins(choice));
            FAIL();
        } catch (const UsageError& error) {
            EXPECT_EQ("built-in:pool: goes with --tasks: its callers are tasks of one event loop",
                      std::string(error.what()));
        }
        choice.program.is_tasks = choice.program.stepped = true;
        EXPECT_EQ(std::vector<std::string>{"built-in:pool"}, choose_built_ins(choice).names);
    }
}

}  // namespace
}  // namespace lockkeeper
