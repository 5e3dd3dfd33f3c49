// SPDX-License-Identifier: Apache-2.0

// The test of the tests: every planted bug is rejected by the property that it names, in a scope
// in which the faithful lock keeps that property. The whole matrix (each bug against each property)
// is pinned, so that a property that grows blind, or one that sees too much, shows.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/cases.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

// All scenarios of planted bugs, by "system/variant".
std::map<std::string, Scenario> scenarios_of_bugs() {
    std::map<std::string, Scenario> scenarios;
    const std::filesystem::path root = std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().parent_path().filename() != "broken" ||
            entry.path().extension() != ".json") {
            continue;
        }
        for (const std::string& one : each_case(entry.path().string())) {
            const Scenario scenario = value_or_throw(load_scenario(one));
            scenarios[scenario.system + "/" + scenario.variant] = scenario;
        }
    }
    return scenarios;
}

std::string name_of(const RegisteredSystem& system) { return system.system + "/" + system.variant; }

// The lock that a planted bug is planted in: it keeps the property in the bug's scope.
Scenario with_sound_lock(Scenario scenario) {
    if (scenario.system == "transactional_broken") {
        const bool pooled = scenario.variant == "unlocks_by_key";
        scenario.system = pooled ? "session_lock_pool" : "transactional_pg";
    } else {
        scenario.system.resize(scenario.system.size() - std::string("_broken").size());
    }
    const bool has_repairs = scenario.system != "canal" && scenario.system != "try_retry";
    scenario.variant = has_repairs ? "repaired" : "faithful";
    return scenario;
}

// The properties that the system breaks somewhere in the scope, by number.
std::set<int> broken_in_scope(const Registry& registry, Scenario scenario) {
    scenario.check = {"all"};
    const Job job = value_or_throw(make_job(registry, scenario));
    ExploreOptions options;
    options.check = job.check;
    const ExploreResult result = job.runner->explore(options);
    // At the end of time it may be open whether there is a livelock.
    EXPECT_TRUE(result.complete || result.limit == kTimeIsOver)
        << scenario.file << " " << result.limit;
    std::set<int> numbers;
    for (const FoundViolation& violation : result.violations) {
        numbers.insert(violation.property->number);
    }
    return numbers;
}

std::vector<RegisteredSystem> planted_bugs(const Registry& registry) {
    std::vector<RegisteredSystem> bugs;
    for (const RegisteredSystem& system : registry.systems()) {
        if (!system.must_fail.empty()) {
            bugs.push_back(system);
        }
    }
    return bugs;
}

TEST(CatchesBroken, every_property_rejects_at_least_one_planted_bug) {
    const Registry registry = shipped_systems();
    std::set<std::string> rejecting;
    for (const RegisteredSystem& bug : planted_bugs(registry)) {
        rejecting.insert(bug.must_fail);
    }
    for (const Property& property : all_properties()) {
        if (property.kind == PropertyKind::kHistory || (property.needs & kBoundsRate) != 0) {
            continue;  // of outside code only: validate/wire and validate/programs have its locks
        }
        EXPECT_EQ(rejecting.count(std::string(property.name)), 1U) << property.name;
    }
}

TEST(CatchesBroken, each_planted_bug_is_rejected_where_the_sound_lock_is_not) {
    const Registry registry = shipped_systems();
    const auto scenarios = scenarios_of_bugs();
    const std::size_t step = testing_model::kIsSlowBuild ? 3 : 1;
    std::size_t seen = 0;
    for (const RegisteredSystem& bug : planted_bugs(registry)) {
        ASSERT_TRUE(scenarios.contains(name_of(bug))) << name_of(bug) << " has no scenario";
        if (seen++ % step != 0) {
            continue;
        }
        const Scenario& scenario = scenarios.at(name_of(bug));
        const int number = find_property(bug.must_fail)->number;
        EXPECT_EQ(broken_in_scope(registry, scenario).count(number), 1U) << name_of(bug);
        EXPECT_EQ(broken_in_scope(registry, with_sound_lock(scenario)).count(number), 0U)
            << name_of(bug);
    }
}

// The numbers of the properties that see a bug; 0: no more of them.
struct SeenBug {
    const char* name;
    std::array<int, 8> by;
};
constexpr SeenBug kMatrix[] = {
    {"canal_broken/acquires_from_the_right", {6, 15}},
    {"canal_broken/counts_from_zero", {6}},
    {"canal_broken/dies_of_the_mark", {10}},
    {"canal_broken/drops_the_undo", {5}},
    {"canal_broken/forgets_to_register", {10, 11, 12}},
    {"canal_broken/forgets_to_reply", {13}},
    {"canal_broken/grants_at_cap", {1, 4}},
    {"canal_broken/keeps_one_reference", {7, 9}},
    {"canal_broken/keeps_the_reference", {8}},
    {"canal_broken/leaves_the_mark", {2}},
    {"canal_broken/loses_the_notification", {7, 9}},
    {"canal_broken/manager_with_smaller_max_per", {2, 3, 4, 6, 10, 11}},
    {"canal_broken/never_forces", {14}},
    {"canal_broken/refuses_the_last_unit", {2, 3}},
    {"canal_broken/releases_from_the_left", {2, 16}},
    {"canal_broken/subtracts_two", {2, 4, 6}},
    {"canal_mailbox_broken/does_not_wait", {30}},
    {"canal_mailbox_broken/waits_for_the_next", {4, 7, 9, 10, 11, 13}},
    {"lease_coordinator_broken/cancels_the_first_only", {19}},
    {"lease_coordinator_broken/deadline_from_answer", {17, 19}},
    {"lease_coordinator_broken/forgets_children", {13}},
    {"lease_coordinator_broken/forgets_grace", {17, 19}},
    {"lease_coordinator_broken/forgets_to_delete", {22}},
    {"lease_coordinator_broken/hooks_apart", {22}},
    {"lease_coordinator_broken/ignores_loss", {25}},
    {"lease_coordinator_broken/ignores_row_count", {17, 19, 21}},
    {"lease_coordinator_broken/keeps_no_fence", {19, 24}},
    {"lease_coordinator_broken/never_notifies", {13}},
    {"lease_coordinator_broken/on_conflict_do_nothing", {17, 25}},
    {"lease_coordinator_broken/reaps_by_client_clock", {17}},
    {"lease_coordinator_broken/reaps_one_namespace", {13}},
    {"lease_coordinator_broken/reaps_too_late", {26}},
    {"lease_coordinator_broken/releases_by_scope", {17, 19, 20, 21}},
    {"lease_coordinator_broken/renews_by_insert", {22}},
    {"lease_coordinator_broken/renews_by_scope", {17, 19}},
    {"lease_coordinator_broken/restarts_tokens", {23}},
    {"lease_coordinator_broken/two_transactions", {19}},
    {"lease_coordinator_broken/writes_client_clock", {26}},
    {"lease_db_broken/believes_any_answer", {25}},
    {"lease_db_broken/deadline_from_answer", {17}},
    {"lease_db_broken/expires_by_client_clock", {17}},
    {"lease_db_broken/forgets_to_delete", {22}},
    {"lease_db_broken/guards_by_key", {19}},
    {"lease_db_broken/ignores_row_count", {17, 21}},
    {"lease_db_broken/keeps_no_fence", {19, 24}},
    {"lease_db_broken/keeps_transactions", {13}},
    {"lease_db_broken/picks_anyway", {27}},
    {"lease_db_broken/reaps_by_client_clock", {17}},
    {"lease_db_broken/reaps_too_early", {17}},
    {"lease_db_broken/reaps_too_late", {26}},
    {"lease_db_broken/releases_by_key", {20, 21}},
    {"lease_db_broken/renews_by_insert", {22}},
    {"lease_db_broken/renews_by_key", {17}},
    {"lease_db_broken/restarts_tokens", {23}},
    {"lease_service_broken/closes_by_scope", {17, 20}},
    {"lease_service_broken/deadline_from_answer", {17}},
    {"lease_service_broken/doubles_ttl", {26}},
    {"lease_service_broken/expires_by_client_clock", {17}},
    {"lease_service_broken/forgets_to_end", {22}},
    {"lease_service_broken/guards_by_scope", {19, 22}},
    {"lease_service_broken/ignores_expiry", {17}},
    {"lease_service_broken/ignores_send_errors", {25}},
    {"lease_service_broken/keeps_no_fence", {19, 22, 24}},
    {"lease_service_broken/renews_by_scope", {17}},
    {"lease_service_broken/restarts_tokens", {23}},
    {"lease_service_broken/revives_expired", {21}},
    {"lease_service_broken/says_ok_anyway", {21}},
    {"lease_service_broken/takes_by_client_clock", {17}},
    {"monglock_multi_broken/acknowledged_by_one", {17}},
    {"monglock_multi_broken/deadline_from_answer", {17}},
    {"monglock_multi_broken/gives_up_unanswered", {22}},
    {"monglock_multi_broken/ignores_cooperative", {17, 18}},
    {"monglock_write_broken/acknowledged_by_one", {17}},
    {"monglock_write_broken/cleans_nothing", {22}},
    {"monglock_write_broken/constant_token", {17, 23}},
    {"monglock_write_broken/deadline_from_answer", {17}},
    {"monglock_write_broken/gives_up_unanswered", {22}},
    {"monglock_write_broken/guards_by_active", {17, 19}},
    {"monglock_write_broken/releases_anything", {17, 20, 21}},
    {"monglock_write_broken/says_ok_anyway", {17, 21}},
    {"monglock_write_broken/takes_active", {17}},
    {"session_lock_pool_broken/frees_at_effect", {19, 21}},
    {"session_lock_pool_broken/grants_all_in_line", {17, 18, 23}},
    {"session_lock_pool_broken/keeps_locks_at_return", {22}},
    {"session_lock_pool_broken/keeps_the_other", {13}},
    {"session_lock_pool_broken/loses_connections", {13}},
    {"session_lock_pool_broken/refuses_the_free", {14}},
    {"session_lock_pool_broken/serves_the_newest", {23}},
    {"session_lock_pool_broken/shares_a_connection", {17, 21, 22}},
    {"session_lock_pool_broken/unlocks_at_once", {21}},
    {"transactional_broken/forgets_outcome", {28}},
    {"transactional_broken/frees_all_at_rollback_to", {21}},
    {"transactional_broken/frees_at_inner_end", {17, 21}},
    {"transactional_broken/frees_at_read", {19, 21}},
    {"transactional_broken/frees_at_savepoint_release", {21}},
    {"transactional_broken/grants_all_in_line", {17, 18}},
    {"transactional_broken/keeps_locks_at_rollback", {22}},
    {"transactional_broken/never_looks_for_deadlocks", {13}},
    {"transactional_broken/never_notices", {22}},
    {"transactional_broken/releases_before_visible", {24}},
    {"transactional_broken/serves_the_newest", {23}},
    {"transactional_broken/times_out_at_events", {13}},
    {"transactional_broken/two_names_one_lock", {13}},
    {"transactional_broken/unlocks_by_key", {20, 21}},
    {"transactional_innodb_broken/deadlock_keeps_transaction", {28}},
    {"transactional_innodb_broken/deletes_one_too_many", {14}},
    {"transactional_innodb_broken/forgets_outcome", {28}},
    {"transactional_innodb_broken/forgets_the_line", {17, 18}},
    {"transactional_innodb_broken/frees_all_at_rollback_to", {21}},
    {"transactional_innodb_broken/frees_at_inner_end", {17, 21}},
    {"transactional_innodb_broken/frees_at_read", {19, 21}},
    {"transactional_innodb_broken/frees_at_savepoint_release", {21}},
    {"transactional_innodb_broken/grants_all_in_line", {17, 18}},
    {"transactional_innodb_broken/keeps_locks_at_rollback", {22}},
    {"transactional_innodb_broken/never_looks_for_deadlocks", {13}},
    {"transactional_innodb_broken/never_notices", {22}},
    {"transactional_innodb_broken/releases_before_visible", {24}},
    {"transactional_innodb_broken/serves_the_newest", {23}},
    {"transactional_innodb_broken/times_out_all", {21}},
    {"transactional_innodb_broken/times_out_at_events", {13}},
    {"transactional_innodb_broken/two_names_one_lock", {13}},
    {"try_retry_broken/frees_at_effect", {19, 21}},
    {"try_retry_broken/grants_the_taken", {17, 18}},
    {"try_retry_broken/keeps_locks_at_return", {22}},
    {"try_retry_broken/loses_connections", {13}},
    {"try_retry_broken/refuses_the_free", {14}},
    {"try_retry_broken/shares_a_connection", {17, 21, 22}},
    {"try_retry_broken/unlocks_by_key", {20, 21}},
    {"wait_die_broken/younger_waits", {13}},
};

// Each is rejected by a bug of this system, but those that
// docs/decisions/models/transactional_model.md says cannot be broken by it.
TEST(CatchesBroken, each_transactional_system_has_a_bug_for_what_it_is_judged_by) {
    const std::map<std::string, std::set<int>> cannot_occur{
        {"transactional_broken", {9, 10, 14, 20}},
        {"transactional_innodb_broken", {9, 10, 20}},
        {"session_lock_pool_broken", {9, 10}},
        {"try_retry_broken", {9, 10, 23}},
    };
    const Registry registry = shipped_systems();
    std::map<std::string, std::set<int>> judged;
    std::map<std::string, std::set<int>> rejecting;
    for (const auto& [name, scenario] : scenarios_of_bugs()) {
        // It is one of the pool, under the name that it had before there was another.
        const bool pooled = name == "transactional_broken/unlocks_by_key";
        const std::string system = pooled ? "session_lock_pool_broken" : scenario.system;
        if (!cannot_occur.contains(system)) {
            continue;
        }
        Scenario all = scenario;
        all.check = {"all"};
        const Job job = value_or_throw(make_job(registry, all));
        for (const Property* property : job.check) {
            judged[system].insert(property->number);
        }
        rejecting[system].merge(broken_in_scope(registry, scenario));
    }
    for (const auto& [system, exempt] : cannot_occur) {
        std::set<int> both = rejecting[system];
        both.insert(exempt.begin(), exempt.end());
        EXPECT_EQ(both, judged[system]) << system;
    }
}

// Which properties see which bug, each in the bug's own scope.

TEST(CatchesBroken, the_matrix_of_bugs_and_properties_is_as_pinned) {
    if (testing_model::kIsSlowBuild) {
        GTEST_SKIP() << "the same searches once more";
    }
    std::map<std::string, std::set<int>> expected;
    for (const SeenBug& seen : kMatrix) {
        expected[seen.name].insert(seen.by.begin(), std::find(seen.by.begin(), seen.by.end(), 0));
    }
    const Registry registry = shipped_systems();
    std::map<std::string, std::set<int>> actual;
    for (const auto& [name, scenario] : scenarios_of_bugs()) {
        actual[name] = broken_in_scope(registry, scenario);
    }
    for (const auto& [name, by] : actual) {
        EXPECT_EQ(expected[name], by) << name;
    }
    EXPECT_EQ(expected.size(), actual.size()) << "a pinned one is not there";
}

}  // namespace
}  // namespace lockkeeper
