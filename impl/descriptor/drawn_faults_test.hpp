// SPDX-License-Identifier: Apache-2.0

// All shipped scenarios with faults that their authors did not think of, for tests that check every
// system's claims about itself.
#pragma once

#include <string>
#include <vector>

#include "scenarios/find_files.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scenarios/registry/time_units.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper::testing_descriptor {

inline const Registry& systems() {
    static const Registry kSystems = shipped_systems();
    return kSystems;
}

// All of them, in the order of their files.
inline const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> kAll = [] {
        std::vector<Scenario> all;
        for (const InputFile& file : find_files({std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios"},
                                                FileKind::kScenarios)) {
            auto loaded = load_scenario(file.path);
            if (const auto* scenario = std::get_if<Scenario>(&loaded)) {
                all.push_back(*scenario);
            }
        }
        return all;
    }();
    return kAll;
}

// The seed depends on the scenario's path in the tree, not on where the tree stands.
inline Random random_of(const Scenario& scenario) {
    return Random(scenario.file.size() - std::string(LOCKKEEPER_SOURCE_DIR).size());
}

inline std::vector<std::string> faults_of(const Scenario& scenario) {
    std::vector<std::string> names;
    for (const OwnNumber& fault :
         systems().find(scenario.system, scenario.variant)->vocabulary.faults) {
        names.push_back(fault.name);
    }
    return names;
}

// Makes the job of a scenario whose text stands in a test.
inline Job job_of(const std::string& text) {
    const auto parsed = parse_scenario(text, "in_a_test.json");
    return std::get<Job>(make_job(systems(), std::get<Scenario>(parsed)));
}

inline bool is_valid(const Scenario& scenario) {
    return std::holds_alternative<Job>(make_job(systems(), scenario));
}

// Some of the repairs of a repaired lock, each of them in half of the cases, but not `without`.
inline void draw_repairs(Scenario& scenario, Random& random, const std::string& without) {
    if (scenario.variant != "repaired") {
        return;
    }
    RepairChoice choice;
    for (const std::string& repair :
         systems().find(scenario.system, scenario.variant)->vocabulary.repairs) {
        if (repair != without && random.below(2) == 0) {
            choice.names.push_back(repair);
        }
    }
    scenario.parameters.repairs = choice;
}

// Some crashes and some of the system's faults, up to twice each.
inline void draw_faults(Scenario& scenario, Random& random) {
    scenario.world.crashes_max = static_cast<std::uint8_t>(random.below(3));
    scenario.parameters.faults.clear();
    for (const std::string& fault : faults_of(scenario)) {
        if (random.below(3) == 0) {
            scenario.parameters.faults[fault] = static_cast<std::int32_t>(1 + random.below(2));
        }
    }
}

inline ErasedSystem system_of(const Scenario& scenario) {
    return std::get<Job>(make_job(systems(), scenario)).runner->erased();
}

// How many of the scenario's milliseconds are one of its system's.
inline std::int32_t unit_of(const Job& job) {
    return std::get<Scenario>(with_times_that_fit(job.system->vocabulary, job.scenario))
        .parameters.time_unit;
}

}  // namespace lockkeeper::testing_descriptor
