// SPDX-License-Identifier: Apache-2.0

// The numbers that are offered for --set are those that it takes, with the values that they have.
#include "scenarios/registry/settable_numbers.hpp"

#include <set>

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/find_files.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

const Registry& registry() {
    static const Registry kRegistry = shipped_systems();
    return kRegistry;
}

Scenario understood(const std::string& file) {
    return value_or_throw(registry().understand(value_or_throw(load_scenario(file)))).scenario;
}

TEST(SettableNumbers, SetToTheirOwnValuesChangeNothing) {
    const std::string folder = std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/";
    std::set<std::string> names;
    for (const char* name : {"canal/findings", "leases/findings", "monglock", "single_counter",
                             "transactional/pg/findings"}) {
        for (const InputFile& file : find_files({folder + name}, FileKind::kScenarios)) {
            const Scenario scenario = understood(file.path);
            for (const SettableNumber& number : settable_numbers(registry(), scenario)) {
                EXPECT_LE(number.least, number.most) << number.name;
                EXPECT_FALSE(number.about.empty()) << number.name;
                if (!number.value) {
                    continue;
                }
                names.insert(number.name.substr(0, number.name.find(':')));
                Scenario same = scenario;
                set_number(registry(), number.name, static_cast<std::int32_t>(*number.value), same,
                           "the test");
                for (const SettableNumber& again : settable_numbers(registry(), same)) {
                    if (again.name == number.name) {
                        EXPECT_EQ(number.value, again.value) << number.name << " " << file.path;
                    }
                }
            }
        }
    }
    for (const char* name : {"callers", "max_per", "buckets", "crashes", "faults"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST(SettableNumbers, OfTheBoundsAreTakenAndBeyondThemRefused) {
    const Scenario scenario = understood(std::string(LOCKKEEPER_SOURCE_DIR) +
                                         "/scenarios/canal/findings/leak_two_callers.json");
    for (const SettableNumber& number : settable_numbers(registry(), scenario)) {
        for (const std::int64_t value : {number.least, number.most}) {
            Scenario changed = scenario;
            EXPECT_NO_THROW(set_number(registry(), number.name, static_cast<std::int32_t>(value),
                                       changed, "the test"))
                << number.name;
        }
        for (const std::int64_t value : {number.least - 1, number.most + 1}) {
            Scenario changed = scenario;
            EXPECT_THROW(set_number(registry(), number.name, static_cast<std::int32_t>(value),
                                    changed, "the test"),
                         UsageError)
                << number.name << " " << value;
        }
    }
}

}  // namespace
}  // namespace lockkeeper
