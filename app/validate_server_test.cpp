// SPDX-License-Identifier: Apache-2.0

// validate --server from end to end: scenarios against private servers. Few TESTs: each is a
// process that starts a server. Skipped, with the reason, where none can be started.

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "model/missing_test.hpp"
#include "model/slow_build_test.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper::testing_app {
namespace {

const std::string kServerScenarios = LOCKKEEPER_SOURCE_DIR "/scenarios/";

// The scenarios with so many random schedules each, as one JSON document; null: no server.
nlohmann::json validated(const std::string& server, const std::vector<std::string>& files,
                         const std::string& schedules, int expected_exit_code) {
    std::vector<std::string> arguments{"validate", "--server",    server,   "--format",
                                       "json",     "--schedules", schedules};
    for (const std::string& file : files) {
        arguments.push_back(kServerScenarios + file);
    }
    const Ran ran = run(arguments);
    if (contains(ran.err, "no private " + server + " server")) {
        return {{"none", ran.err}};
    }
    EXPECT_EQ(expected_exit_code, ran.exit_code) << ran.err << ran.out;
    EXPECT_EQ("", ran.err);
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "validate_server.schema.json"));
    return nlohmann::json::parse(ran.out);
}

// At least so many scenarios agree, and each of them was compared in at least one step.
void expect_agreement(const nlohmann::json& document, std::size_t scenarios_min) {
    std::size_t agree = 0;
    for (const auto& scenario : document.at("scenarios")) {
        if (scenario.at("verdict") == "agrees") {
            ++agree;
            EXPECT_LT(0, scenario.at("steps").get<int>()) << scenario.dump(2);
            EXPECT_LT(0, scenario.at("schedules").get<int>()) << scenario.dump(2);
        }
    }
    EXPECT_LE(scenarios_min, agree);
}

std::string differing(const nlohmann::json& document) {
    std::string out;
    for (const auto& scenario : document.at("scenarios")) {
        if (scenario.at("verdict") != "agrees" && scenario.at("verdict") != "not expressible") {
            out += scenario.dump(2) + "\n";
        }
    }
    return out;
}

TEST(ValidateDatabase, postgresql_and_its_model_agree) {
    const auto document = validated(
        "postgresql", {"transactional/pg/published", "transactional/session_lock_pool"}, "1", 0);
    if (document.contains("none")) {
        SKIP_FOR_LACK_OF(document.at("none"));
    }
    EXPECT_EQ("", differing(document));
    expect_agreement(document, 46);  // docs/findings/real_servers.md names them
}

TEST(ValidateDatabase, mariadb_and_its_model_agree) {
    const auto document = validated(
        "mariadb",
        {"transactional/innodb/published/two_threads.json",
         "transactional/innodb/published/deadlock.json",
         "transactional/innodb/published/new_row.json",
         "transactional/innodb/published/savepoint_new_row.json",
         "transactional/innodb/published/savepoint_existing_row.json",
         "transactional/innodb/published/savepoint_outside.json",
         "transactional/innodb/published/wait_timeout_then_going_on.json",
         "transactional/innodb/published/lost_while_waiting.json",
         "transactional/innodb/published/dead_insert_goes_on.json",
         "transactional/innodb/published/savepoint_new_row_waited_for.json",
         "transactional/innodb/published/savepoint_new_row_read_committed.json",
         "transactional/innodb/published/requires_new_existing_row.json",
         "transactional/innodb/guarantees/reconnects.json",
         "transactional/innodb/findings/deadlock_of_one_name.json",
         "transactional/innodb/findings/belief_overlap_kill.json",
         "transactional/innodb/findings/stale_read_read_lock_read.json#stale_read_read_lock_read"},
        "1", 0);
    if (document.contains("none")) {
        SKIP_FOR_LACK_OF(document.at("none"));
    }
    EXPECT_EQ("", differing(document));
    expect_agreement(document, 16);
}

TEST(ValidateDatabase, what_no_scenario_can_express_is_no_agreement) {
    const auto document = validated(
        "postgresql", {"transactional/innodb/published/two_threads.json"}, "1", kExitInconclusive);
    if (document.contains("none")) {
        SKIP_FOR_LACK_OF(document.at("none"));
    }
    EXPECT_EQ("not expressible", document.at("scenarios").at(0).at("verdict"));
    EXPECT_EQ(kExitInconclusive, document.at("exit_code"));
}

// The test of the test: a model that is wrong is told from the server, in few steps. (That a model
// never looks for deadlocks shows after a timer of the server, which few schedules may not reach.)
TEST(ValidateDatabase, planted_bugs_differ_from_the_server) {
    const auto document = validated("postgresql",
                                    {"transactional/broken/three_callers.json#grants_all_in_line",
                                     "transactional/broken/frees_at_inner_end.json",
                                     "transactional/broken/frees_at_savepoint_release.json",
                                     "transactional/broken/frees_at_read.json",
                                     "transactional/broken/frees_all_at_rollback_to.json",
                                     "transactional/broken/keeps_locks_at_rollback.json",
                                     "transactional/broken/pool_keeps_locks_at_return.json"},
                                    "4", kExitViolated);
    if (document.contains("none")) {
        SKIP_FOR_LACK_OF(document.at("none"));
    }
    for (const auto& scenario : document.at("scenarios")) {
        EXPECT_EQ("differs", scenario.at("verdict")) << scenario.dump(2);
        EXPECT_GE(12, scenario.value("/difference/step"_json_pointer, 100)) << scenario.dump(2);
    }
}

TEST(ValidateDatabase, the_database_leaser_and_its_model_agree) {
    const bool is_slow = testing_model::kIsSlowBuild;
    const auto document =
        is_slow
            ? validated("postgresql",
                        {"leases/published/db_acquire_conflict_release.json",
                         "leases/published/db_call_completed_before_it_knows.json#db_call_checked",
                         "leases/published/db_stopped_renewal_is_reaped.json"},
                        "1", 0)
            : validated("postgresql", {"leases/given", "leases/published", "leases/repaired"}, "2",
                        0);
    if (document.contains("none")) {
        SKIP_FOR_LACK_OF(document.at("none"));
    }
    EXPECT_EQ("", differing(document));
    expect_agreement(document, is_slow ? 3 : 25);  // those of lease_db
}

TEST(ValidateDatabase, planted_bugs_of_the_leaser_and_what_is_known_differ_from_the_server) {
    std::vector<std::string> files{"leases/broken/db_reaps_too_early.json",
                                   "leases/broken/db_releases_by_key.json",
                                   "leases/broken/db_picks_anyway.json", "leases/server_differs"};
    if (!testing_model::kIsSlowBuild) {
        files.insert(
            files.end(),
            {"leases/broken/db_write.json#db_forgets_to_delete",
             "leases/broken/db_late_write.json#db_guards_by_key",
             "leases/broken/db_ignores_row_count.json",
             "leases/broken/db_late_write.json#db_keeps_no_fence",
             "leases/broken/db_write.json#db_restarts_tokens",
             "leases/broken/db_renews_by_key.json", "leases/broken/db_renews_by_insert.json",
             "leases/broken/db_expires_by_client_clock.json",
             "leases/broken/db_reaps_by_client_clock.json",
             "leases/broken/db_keeps_transactions.json",
             "leases/broken/db_believes_any_answer.json", "leases/broken/db_reaps_too_late.json"});
    }
    const auto document = validated("postgresql", files, "1", kExitViolated);
    if (document.contains("none")) {
        SKIP_FOR_LACK_OF(document.at("none"));
    }
    for (const auto& scenario : document.at("scenarios")) {
        EXPECT_EQ("differs", scenario.at("verdict")) << scenario.dump(2);
        EXPECT_GE(14, scenario.value("/difference/step"_json_pointer, 100)) << scenario.dump(2);
    }
}

TEST(ValidateDatabase, says_what_is_wrong_before_a_server_is_started) {
    expect_one_line(run({"validate", "--server", "oracle"}),
                    "expected postgresql, mariadb or erlang");
    EXPECT_EQ(kExitUsage, run({"validate", "--server", "oracle"}).exit_code);
}

}  // namespace
}  // namespace lockkeeper::testing_app
