// SPDX-License-Identifier: Apache-2.0

// `lockkeeper validate --against` with clocks, servers and faults of their own, as a user calls it.
#include <algorithm>

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "model/missing_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper {
namespace {

using testing_app::contains;
using testing_app::expect_one_line;
using testing_app::Ran;
using testing_app::run;

// "folder/file", or "folder/file#case".
std::string shipped_scenario(std::string name) {
    name.insert(std::min(name.find('#'), name.size()), ".json");
    return std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/" + name;
}

// The verdict, how many runs were equal, and what is said of the first difference.
struct Compared {
    std::string verdict;
    std::uint64_t equal = 0;
    std::string difference;
    std::string replay;
};

Compared compare(const std::string& reference, const std::string& name,
                 const std::string& schedules = "200") {
    const Ran ran = run({"validate", "--against", reference, "--schedules", schedules, "--format",
                         "json", shipped_scenario(name)});
    const auto found = nlohmann::json::parse(ran.out)["compared"][0];
    EXPECT_FALSE(found.contains("error")) << ran.err;
    return {found.value("verdict", ""), found.value("equal", std::uint64_t{0}),
            found.value("difference", ""), found.value("replay", "")};
}

TEST(ValidateAgainstTime, every_repaired_system_equals_itself_also_with_its_own_faults) {
    const std::vector<std::pair<std::string, std::string>> repaired = {
        {"monglock_write/repaired", "monglock/write_lock/repairs/all"},
        {"monglock_multi/repaired", "monglock/multi_lock/repairs/all"},
        {"lease_db/repaired", "leases/repaired/db_all_faults"},
        {"lease_service/repaired", "leases/repaired/sv_all_faults"},
        {"lease_coordinator/repaired", "leases/repaired/co_all_faults"},
        {"lease_coordinator/repaired", "leases/repaired/co_waiting"},
        {"transactional_pg/repaired", "transactional/pg/repaired/inner_kills"},
        {"transactional_innodb/repaired", "transactional/innodb/repaired/inner_kills"},
        {"session_lock_pool/repaired", "transactional/session_lock_pool/leak_blocks#repaired"},
    };
    for (const auto& [reference, name] : repaired) {
        const auto runs = static_cast<std::uint64_t>(testing_model::random_cases(200));
        const Compared found = compare(reference, name, std::to_string(runs));
        EXPECT_EQ(found.verdict, "equal") << name << ": " << found.difference;
        EXPECT_EQ(found.equal, runs) << name;
    }
}

TEST(ValidateAgainstTime, every_published_system_differs_from_its_repaired_one) {
    struct Case {
        std::string reference;
        std::string name;
        std::string verdict;
        std::string difference;
        std::string schedules = "300";
    };
    const std::vector<Case> cases = {
        {"monglock_write/repaired", "monglock/write_lock/findings/two_clients#belief_overlap",
         "looser", R"(call of client1 answers "done", the reference "lost")"},
        {"monglock_multi/repaired", "monglock/multi_lock/findings/silent_read", "wrong",
         "every call returns, here some never do", "40"},
        {"lease_db/repaired", "leases/findings/db_phantom_after_lost_answer", "stricter",
         R"(acquire of A2 answers "Conflict", the reference "acquired")"},
        {"lease_service/repaired", "leases/findings/sv_refused_elsewhere", "looser",
         R"(acquire of C answers "acquired", the reference "Conflict")"},
        {"lease_coordinator/repaired", "leases/findings/co_not_notified#co_lost_notification",
         "wrong", "every call returns, here some never do"},
        {"lease_coordinator/repaired", "leases/findings/co_pause#co_pause", "looser",
         R"(call of A1 answers "done", the reference "lost")"},
        {"transactional_pg/repaired", "transactional/pg/findings/false_ok_savepoint", "wrong",
         R"(release of A answers "released", the reference "RolledBack")"},
        {"transactional_innodb/repaired", "transactional/innodb/findings/deadlock_of_one_name",
         "wrong", R"(acquire of B answers "Deadlock", the reference "acquired")"},
        {"session_lock_pool/repaired", "transactional/session_lock_pool/leak#leak", "wrong",
         "0 granted at the end, not 1"},
    };
    for (const Case& one : cases) {
        const Compared found = compare(one.reference, one.name, one.schedules);
        EXPECT_EQ(found.verdict, one.verdict) << one.name << ": " << found.difference;
        EXPECT_TRUE(contains(found.difference, one.difference)) << found.difference;
        const std::size_t line = found.replay.find("lk1:");
        ASSERT_NE(line, std::string::npos) << one.name;
        const std::string schedule =
            found.replay.substr(line, found.replay.find('\'', line) - line);
        EXPECT_NE(run({"replay", shipped_scenario(one.name), "--schedule", schedule}).exit_code,
                  kExitDiverged)
            << schedule;
    }
}

TEST(ValidateAgainstTime, planted_bugs_in_expiry_and_reaping_are_differences) {
    EXPECT_EQ(compare("lease_service/repaired", "leases/broken/sv_ignores_expiry").verdict,
              "looser");
    EXPECT_EQ(compare("lease_service/repaired", "leases/broken/sv_doubles_ttl", "500").verdict,
              "stricter");
    EXPECT_EQ(compare("lease_db/repaired", "leases/broken/db_reaps_too_late").verdict, "stricter");
    EXPECT_EQ(compare("lease_db/repaired", "leases/broken/db_write#db_forgets_to_delete").verdict,
              "wrong");
    EXPECT_EQ(
        compare("monglock_write/repaired", "monglock/broken/two_clients#takes_active").verdict,
        "wrong");
}

TEST(ValidateAgainstTime, a_world_without_room_for_the_clock_is_refused) {
    const Ran ran = run({"validate", "--against", "transactional_pg/repaired",
                         shipped_scenario("transactional/pg/published/seven_waiters")});
    EXPECT_EQ(ran.exit_code, kExitInput);
    expect_one_line(ran, "as a scenario of the reference");
}

// --- a program with a clock --------------------------------------------------------------------

const std::string kTimedPrograms = std::string(LOCKKEEPER_SOURCE_DIR) + "/examples/outside/";

Ran lease_beside_the_service(const std::string& command, const std::string& schedules) {
    return run({"validate", "--program", command, "--against", "lease_service/repaired",
                "--schedules", schedules, kTimedPrograms + "lease_expiry.json"});
}

void expect_that_a_tick_too_early_is_found(const std::string& program) {
    const std::string runs = std::to_string(testing_model::random_cases(200));
    const Ran right = lease_beside_the_service(program + " --exact", runs);
    EXPECT_EQ(right.exit_code, kExitPassed) << right.out << right.err;
    EXPECT_TRUE(contains(right.out, "verdict: equal; " + runs + " schedules: " + runs + " equal"))
        << right.out;
    const Ran early = lease_beside_the_service(program + " --exact --early", "200");
    EXPECT_EQ(early.exit_code, kExitViolated) << early.out << early.err;
    EXPECT_TRUE(contains(early.out, R"(answers "acquired", the reference "Conflict")"))
        << early.out;
    EXPECT_TRUE(contains(early.out, "verdict: looser")) << early.out;
    const std::size_t begin = early.out.find("lk1:");
    ASSERT_NE(begin, std::string::npos) << early.out;
    const std::string line = early.out.substr(begin, early.out.find_first_of("'\n", begin) - begin);
    const Ran again = run({"validate", "--program", program + " --exact --early",
                           kTimedPrograms + "lease_expiry.json", "--replay-choices", line});
    EXPECT_EQ(again.exit_code, kExitViolated) << again.out;
    EXPECT_TRUE(contains(again.out, "belief-overlap")) << again.out;
}

TEST(ValidateAgainstTime, a_lease_in_python_that_takes_over_a_tick_too_early_is_looser) {
    NEEDS_TOOL("python3");
    expect_that_a_tick_too_early_is_found("python3 " + kTimedPrograms + "lease.py");
}

TEST(ValidateAgainstTime, a_lease_in_javascript_that_takes_over_a_tick_too_early_is_looser) {
    NEEDS_TOOL("node");
    expect_that_a_tick_too_early_is_found("node " + kTimedPrograms + "lease.js");
}

TEST(ValidateAgainstTime, a_refusal_for_a_lease_that_is_over_already_is_a_difference) {
    NEEDS_TOOL("python3");
    const Ran ran = lease_beside_the_service("python3 " + kTimedPrograms + "lease.py", "300");
    EXPECT_EQ(ran.exit_code, kExitViolated) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, " stricter")) << ran.out;
}

}  // namespace
}  // namespace lockkeeper
