// SPDX-License-Identifier: Apache-2.0

// The small forms of the wave test, whole: with and without the reduction the same is found, in as
// many steps. (The large ones are only finished with it; scenarios/canal/wave pins their counts.)
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

using testing_model::kIsSanitized;

ExploreResult explore(const std::string& name, Reduction reduction, std::size_t jobs) {
    const std::string file =
        std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/wave/" + name + ".json";
    const Registry registry = shipped_systems();
    const MadeRunner made = registry.make(std::get<Scenario>(load_scenario(file)));
    ExploreOptions options;
    for (const Property& property : all_properties()) {
        if (property.monitor == Monitor::kNone && property.kind != PropertyKind::kEventually) {
            options.check.push_back(&property);
        }
    }
    options.reduction = reduction;
    options.jobs = jobs;
    options.counting = Counting::kOff;
    return std::get<std::unique_ptr<Runner>>(made)->explore(options);
}

std::set<std::string> violations_of(const ExploreResult& result) {
    std::set<std::string> found;
    for (const FoundViolation& violation : result.violations) {
        found.insert(std::string(violation.property->name) + " in " +
                     std::to_string(violation.schedule.actions.size()) + " steps");
    }
    return found;
}

TEST(WaveTest, its_small_forms_show_the_same_with_private_steps_taken_at_once) {
    for (const std::string name : {"synchronised_small_warm", "published_small_warm",
                                   "synchronised_small", "published_small"}) {
        if (kIsSanitized && name != "synchronised_small_warm") {
            continue;
        }
        const ExploreResult full = explore(name, Reduction::kNone, 2);
        const ExploreResult reduced = explore(name, Reduction::kPrivateSteps, 1);
        EXPECT_TRUE(full.complete && reduced.complete) << name;
        EXPECT_LT(reduced.states * 30, full.states) << name;
        EXPECT_EQ(violations_of(reduced), violations_of(full)) << name;
        EXPECT_EQ(reduced.terminal_states, full.terminal_states) << name;
    }
}

}  // namespace
}  // namespace lockkeeper
