// The test of the tests: every planted bug is rejected by the property that it names, in a scope
// in which the faithful lock keeps that property. The whole matrix (each bug against each property)
// is pinned, so that a property that grows blind, or one that sees too much, shows.
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "app/registry.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

std::string scenario_file(const std::string& variant) {
    return std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/broken/" + variant + ".json";
}

// The properties that the system breaks somewhere in the scope, by number.
std::set<int> broken_in_scope(const Registry& registry, Scenario scenario) {
    scenario.check = {"all"};
    const MadeRunner made = registry.make(scenario);
    const auto* runner = std::get_if<std::unique_ptr<Runner>>(&made);
    EXPECT_NE(runner, nullptr) << std::get<InputError>(made).text();
    ExploreOptions options;
    for (const Property& property : all_properties()) {
        options.check.push_back(&property);
    }
    const ExploreResult result = (*runner)->explore(options);
    EXPECT_TRUE(result.complete) << scenario.file << " " << result.limit;
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
        EXPECT_EQ(rejecting.count(std::string(property.name)), 1U) << property.name;
    }
}

TEST(CatchesBroken, each_planted_bug_is_rejected_where_the_faithful_lock_is_not) {
    const Registry registry = shipped_systems();
    for (const RegisteredSystem& bug : planted_bugs(registry)) {
        const auto loaded = load_scenario(scenario_file(bug.variant));
        const auto* scenario = std::get_if<Scenario>(&loaded);
        ASSERT_NE(scenario, nullptr) << std::get<InputError>(loaded).text();
        const int number = find_property(bug.must_fail)->number;
        EXPECT_EQ(broken_in_scope(registry, *scenario).count(number), 1U) << bug.variant;

        Scenario faithful = *scenario;
        faithful.system = "canal";
        faithful.variant = "faithful";
        EXPECT_EQ(broken_in_scope(registry, faithful).count(number), 0U) << bug.variant;
    }
}

// Which properties see which bug, each in the bug's own scope.
TEST(CatchesBroken, the_matrix_of_bugs_and_properties_is_as_pinned) {
    const std::map<std::string, std::set<int>> expected{
        {"acquires_from_the_right", {6, 15}},
        {"counts_from_zero", {6}},
        {"dies_of_the_mark", {10}},
        {"drops_the_undo", {5}},
        {"forgets_to_register", {10, 11, 12}},
        {"forgets_to_reply", {13}},
        {"grants_at_cap", {1, 4}},
        {"keeps_one_reference", {7, 9}},
        {"keeps_the_reference", {8}},
        {"leaves_the_mark", {2}},
        {"loses_the_notification", {7, 9}},
        {"manager_with_smaller_max_per", {2, 3, 4, 6, 9, 10, 11}},
        {"never_forces", {14}},
        {"refuses_the_last_unit", {2, 3}},
        {"releases_from_the_left", {2, 16}},
        {"subtracts_two", {2, 4, 6}},
    };
    const Registry registry = shipped_systems();
    std::map<std::string, std::set<int>> actual;
    for (const RegisteredSystem& bug : planted_bugs(registry)) {
        const auto loaded = load_scenario(scenario_file(bug.variant));
        actual[bug.variant] = broken_in_scope(registry, std::get<Scenario>(loaded));
    }
    EXPECT_EQ(actual, expected);
}

}  // namespace
}  // namespace lockkeeper
