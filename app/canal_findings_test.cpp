// What is wrong with the published canal lock, found by going through scopes systematically, and
// the proof that the repaired one passes all of them. The table is the one in docs/canal_lock.md,
// which this test compares word by word.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "app/canal_scopes.hpp"
#include "app/registry.hpp"
#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

using testing_model::kIsSanitized;
constexpr std::size_t kCallersMax = kIsSanitized ? 2 : 4;

ExploreResult explore_all(const Registry& registry, const CanalScope& scope,
                          const std::string& variant) {
    const MadeRunner made = registry.make(to_scenario(scope, variant));
    const auto* runner = std::get_if<std::unique_ptr<Runner>>(&made);
    if (runner == nullptr) {
        throw std::runtime_error(std::get<InputError>(made).text());
    }
    ExploreOptions options;
    options.counting = Counting::kOff;
    for (const Property& property : all_properties()) {
        options.check.push_back(&property);
    }
    return (*runner)->explore(options);
}

// One line per property and family: the first scope, small ones first, and the steps.
std::string findings_table() {
    const Registry registry = shipped_systems();
    std::map<std::pair<int, std::size_t>, std::string> found;
    const auto& families = canal_scope_families();
    for (const CanalScope& scope : canal_scopes(kCallersMax)) {
        if (scope.is_large()) {
            continue;
        }
        const ExploreResult result = explore_all(registry, scope, "faithful");
        EXPECT_TRUE(result.complete) << scope.text();
        std::size_t family = 0;
        while (families[family].name != scope.family) {
            ++family;
        }
        for (const FoundViolation& violation : result.violations) {
            found.try_emplace(
                {violation.property->number, family},
                std::to_string(violation.schedule.actions.size()) + " | " + scope.text());
        }
    }
    std::string table = "| property | circumstance | steps | smallest scope |\n|---|---|---|---|\n";
    for (const auto& [key, text] : found) {
        const Property& property = all_properties()[static_cast<std::size_t>(key.first) - 1];
        table += "| P" + std::to_string(property.number) + " " + std::string(property.name) +
                 " | " + std::string(families[key.second].name) + " | " + text + " |\n";
    }
    return table;
}

std::string table_in_documentation() {
    std::ifstream file(std::string(LOCKKEEPER_SOURCE_DIR) + "/docs/canal_lock.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    const std::string begin = "<!-- findings: checked by app/canal_findings_test.cpp -->\n";
    const std::size_t from = all.find(begin);
    const std::size_t to = all.find("<!-- end of findings -->", from);
    if (from == std::string::npos || to == std::string::npos) {
        return "no table between the marks in docs/canal_lock.md";
    }
    return all.substr(from + begin.size(), to - from - begin.size());
}

TEST(CanalFindings, the_table_in_the_documentation_is_what_the_exploration_finds) {
    if (kIsSanitized) {
        GTEST_SKIP() << "the whole table takes minutes under a sanitizer";
    }
    EXPECT_EQ(findings_table(), table_in_documentation());
}

TEST(CanalFindings, the_repaired_lock_passes_every_scope_by_complete_enumeration) {
    const Registry registry = shipped_systems();
    std::uint64_t states = 0;
    for (const CanalScope& scope : canal_scopes(kCallersMax)) {
        const ExploreResult result = explore_all(registry, scope, "repaired");
        EXPECT_TRUE(result.complete) << scope.text();
        EXPECT_TRUE(result.violations.empty())
            << scope.text() << ": " << result.violations.front().property->name;
        states += result.states;
    }
    RecordProperty("states", std::to_string(states));
    EXPECT_GT(states, 0U);
}

}  // namespace
}  // namespace lockkeeper
