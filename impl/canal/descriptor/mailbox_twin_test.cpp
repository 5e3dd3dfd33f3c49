// SPDX-License-Identifier: Apache-2.0

// Without what canal_mailbox.hpp adds it is the canal lock: the same states, the same violations.
// Properties with monitors are left out. For them the canal lock still counts the unit of a dead
// caller whose unlock is under way, and the mailbox does not.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

struct TwinScope {
    int callers;
    int max_per;
    int buckets;
    const char* table;
    int crashes;
    int rounds;
};

std::string text_of_twin(const TwinScope& scope, const std::string& system,
                         const std::string& variant) {
    const std::string places = "\"key\": \"db\", \"max_per\": " + std::to_string(scope.max_per) +
                               ", \"buckets\": " + std::to_string(scope.buckets);
    return R"({"version": 1, "system": ")" + system + R"(", "variant": ")" + variant +
           R"(", "parameters": {"table": )" + scope.table + R"(}, "faults": {"crashes": )" +
           std::to_string(scope.crashes) + R"(}, "callers": [{"count": )" +
           std::to_string(scope.callers) + R"(, "repeat": )" + std::to_string(scope.rounds) +
           R"(, "script": [{"acquire": {)" + places + R"(}}, {"release": {"key": "db"}}]}],
           "check": ["leak", "double-release", "negative-counter", "lost-reference",
                     "foreign-reference", "foreign-release", "caller-death", "manager-death",
                     "poisoned-key", "deadlock", "livelock"]})";
}

// The states, and the shortest run of each property that is broken.
std::map<std::string, std::uint64_t> searched(const TwinScope& scope, const std::string& system,
                                              const std::string& variant) {
    static const Registry kRegistry = shipped_systems();
    const Scenario scenario =
        value_or_throw(parse_scenario(text_of_twin(scope, system, variant), "twin.json"));
    const Job job = value_or_throw(make_job(kRegistry, scenario));
    ExploreOptions options;
    options.check = job.check;
    const ExploreResult result = job.runner->explore(options);
    EXPECT_TRUE(result.complete);
    std::map<std::string, std::uint64_t> found{{"states", result.states}};
    for (const FoundViolation& violation : result.violations) {
        found.emplace(violation.property->name, violation.schedule.actions.size());
    }
    return found;
}

TEST(MailboxTwin, has_the_states_and_the_violations_of_the_canal_lock) {
    constexpr TwinScope kScopes[] = {
        {2, 1, 1, R"({"warm": 1})", 0, 1}, {2, 1, 1, R"({"warm": 1})", 1, 2},
        {2, 1, 2, R"({"warm": 2})", 1, 1}, {2, 2, 2, "\"cold\"", 2, 1},
        {3, 1, 2, R"({"warm": 2})", 0, 1}, {3, 2, 1, "\"cold\"", 0, 1},
    };
    for (const TwinScope& scope : kScopes) {
        for (const char* variant : {"faithful", "repaired"}) {
            EXPECT_EQ(searched(scope, "canal_mailbox", variant), searched(scope, "canal", variant))
                << text_of_twin(scope, "canal", variant);
        }
    }
}

}  // namespace
}  // namespace lockkeeper
