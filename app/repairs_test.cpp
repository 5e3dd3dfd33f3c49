// SPDX-License-Identifier: Apache-2.0

// Each repair of each repaired variant is justified by a file: without it, its counterexample comes
// back. Where another repair hides that, the file leaves out both, and a second one in the same
// scope shows that this repair alone removes it. That the files keep what they promise is checked
// where all scenarios are run.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/command_test.hpp"
#include "app/session.hpp"
#include "model/json.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::json;

struct LeavesOut {
    std::string file;
    Json scenario;
    std::set<std::string> repairs;
};

std::vector<LeavesOut> files_that_leave_repairs_out() {
    std::vector<LeavesOut> found;
    for (const InputFile& file :
         find_files({std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios"}, FileKind::kScenarios)) {
        if (!testing_app::contains(
                testing_app::read_whole(file.path.substr(0, file.path.find('#'))), "all_but")) {
            continue;  // to read it as a scenario would take far longer
        }
        Json scenario = Json::parse(to_json_text(std::get<Scenario>(load_scenario(file.path))));
        const Json repairs = scenario["parameters"].value("repairs", Json());
        if (repairs.is_object()) {
            found.push_back(
                {file.path, std::move(scenario), repairs["all_but"].get<std::set<std::string>>()});
        }
    }
    return found;
}

bool shows_what_is_lost(const LeavesOut& one) {
    const Json expect = one.scenario.value("expect", Json::object());
    return expect.value("verdict", "") == "violated" || expect.contains("results");
}

// The same callers, faults and parameters, this repair on, and nothing found.
bool is_mended_by(const LeavesOut& without, const std::string& repair, const LeavesOut& with) {
    std::set<std::string> rest = without.repairs;
    rest.erase(repair);
    const auto scope = [](const Json& scenario) {
        Json kept;
        for (const char* key : {"system", "variant", "callers", "faults", "parameters"}) {
            kept[key] = scenario.value(key, Json());
        }
        kept["parameters"].erase("repairs");
        return kept;
    };
    return with.repairs == rest && scope(with.scenario) == scope(without.scenario) &&
           with.scenario["expect"].value("verdict", "") == "passed";
}

bool is_justified(const std::vector<LeavesOut>& files, const std::string& system,
                  const std::string& repair) {
    for (const LeavesOut& file : files) {
        if (file.scenario["system"] != system || !file.repairs.contains(repair) ||
            file.file.find("without_" + repair) == std::string::npos || !shows_what_is_lost(file)) {
            continue;
        }
        bool alone = file.repairs.size() == 1;
        for (const LeavesOut& other : files) {
            alone = alone || is_mended_by(file, repair, other);
        }
        if (alone) {
            return true;
        }
    }
    return false;
}

TEST(Repairs, are_each_justified_by_the_counterexample_that_its_absence_gives) {
    const std::vector<LeavesOut> files = files_that_leave_repairs_out();
    int repairs_count = 0;
    const Registry registry = shipped_systems();
    for (const RegisteredSystem& system : registry.systems()) {
        if (!system.must_fail.empty()) {
            continue;  // planted in the repaired variant
        }
        // The same lock, state by state (impl/canal/descriptor/mailbox_twin_test.cpp).
        const std::string lock = system.system == "canal_mailbox" ? "canal" : system.system;
        for (const std::string& repair : system.vocabulary.repairs) {
            EXPECT_TRUE(is_justified(files, lock, repair)) << system.system << " " << repair;
            ++repairs_count;
        }
    }
    EXPECT_GT(repairs_count, 50);
    EXPECT_FALSE(is_justified(files, "canal", "whole_row"));  // no repair
}

TEST(Repairs, are_listed_with_the_variant_that_has_them) {
    const testing_app::Ran all = testing_app::run({"list", "session_lock_pool"});
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_NE(all.out.find("session_lock_pool/repaired\n"), std::string::npos) << all.out;
    EXPECT_NE(all.out.find("      repairs: reset_on_return\n"), std::string::npos) << all.out;
    const Json document = Json::parse(testing_app::run({"list", "--format", "json"}).out);
    for (const Json& system : document["systems"]) {
        const bool repaired = system["variant"] == "repaired";
        EXPECT_EQ(!system["vocabulary"]["repairs"].empty(), repaired) << system["system"];
    }
}

}  // namespace
}  // namespace lockkeeper
