// SPDX-License-Identifier: Apache-2.0

// Pools and locks that others wrote, as examples/tasks shows them: those of Debian's packages.
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

}  // namespace
}  // namespace lockkeeper
