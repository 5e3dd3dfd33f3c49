// SPDX-License-Identifier: Apache-2.0

// validate --server erlang from end to end: the model of the published canal lock beside real ETS
// tables and processes. Skipped, with the reason, where Erlang is missing.

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "model/missing_test.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scenarios/schema_check_test.hpp"
#include "validate/erlang/conformance.hpp"

namespace lockkeeper::testing_app {
namespace {

const std::string kFolder = LOCKKEEPER_SOURCE_DIR "/scenarios/canal/";

nlohmann::json compared(const std::string& files, const std::string& schedules,
                        int expected_exit_code) {
    const Ran ran = run({"validate", "--server", "erlang", "--format", "json", "--schedules",
                         schedules, kFolder + files});
    EXPECT_EQ(expected_exit_code, ran.exit_code) << ran.err << ran.out;
    EXPECT_EQ("", ran.err);
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "validate_server.schema.json"));
    return nlohmann::json::parse(ran.out);
}

// docs/findings/real_servers.md has the same with 50 schedules of each.
TEST(ValidateErlang, the_published_lock_and_its_model_agree) {
    NEEDS_TOOL("erl");
    const auto document = compared("findings", "5", kExitPassed);
    EXPECT_LE(41U, document.at("scenarios").size());
    for (const auto& scenario : document.at("scenarios")) {
        EXPECT_EQ("agrees", scenario.at("verdict")) << scenario.dump(2);
        EXPECT_LE(5, scenario.at("schedules").get<int>());
        EXPECT_LT(5, scenario.at("steps").get<int>());
    }
}

// Forcing needs a mark that stays while somebody tries: random schedules do not get there.
TEST(ValidateErlang, models_with_planted_bugs_differ_within_few_steps) {
    NEEDS_TOOL("erl");
    const auto document = compared("broken", "20", kExitViolated);
    std::size_t differ = 0;
    for (const auto& scenario : document.at("scenarios")) {
        if (scenario.at("verdict") == "differs") {
            ++differ;
            const std::string model = scenario.at("/difference/model"_json_pointer);
            EXPECT_EQ(std::string::npos, model.find('?')) << "a step without an id: " << model;
            EXPECT_GE(8, scenario.at("/difference/step"_json_pointer)) << scenario.dump(2);
        }
    }
    EXPECT_EQ(15U, differ);
}

TEST(ValidateErlang, other_locks_cannot_be_expressed) {
    NEEDS_TOOL("erl");
    const auto document = compared("repaired/leak_resize.json", "1", kExitInconclusive);
    EXPECT_EQ("not expressible", document.at("/scenarios/0/verdict"_json_pointer));
}

// --- planted on the other side ---------------------------------------------------------------

struct Planted {
    const char* scenario;
    const char* right;
    const char* wrong;
    std::size_t steps_max;
};

std::vector<erlang::SourceFile> altered(const Planted& planted) {
    std::vector<erlang::SourceFile> files = erlang::sources();
    for (erlang::SourceFile& file : files) {
        const std::size_t at = file.text.find(planted.right);
        if (file.name == "canal_lock.erl" && at != std::string::npos) {
            file.text.replace(at, std::string(planted.right).size(), planted.wrong);
            return files;
        }
    }
    ADD_FAILURE() << "canal_lock.erl has no " << planted.right;
    return files;
}

databases::Comparison compared_with(const Planted& planted) {
    auto started = erlang::start_node(altered(planted));
    if (const auto* none = std::get_if<erlang::NoNode>(&started)) {
        ADD_FAILURE() << none->reason;
        return {};
    }
    const Registry registry = shipped_systems();
    const Job job = prepare(
        registry, {}, value_or_throw(load_scenario(kFolder + "findings/" + planted.scenario)));
    databases::ComparisonLimits limits = erlang::comparison_limits();
    limits.random_schedules = 100;
    return databases::compare(*std::get<std::unique_ptr<databases::ComparedServer>>(started), job,
                              *job.runner, {}, limits);
}

TEST(ValidateErlang, an_original_with_planted_deviations_differs_within_few_steps) {
    NEEDS_TOOL("erl");
    const Planted all[] = {
        {"over_allocation_resize.json", "Cap = MaxPer + 1", "Cap = MaxPer + 2", 5},
        {"over_allocation_resize.json", "{2, 1, Cap, Cap}", "{2, 1}", 9},
        {"leak_resize.json", "{Key, Bucket}, {2, 1})", "{Key, Bucket}, {2, 0})", 9},
        {"over_allocation_two_locks.json", "maps:remove(Any, References)", "References", 16},
        {"cold_first_callers.json#manager_death_cold_start", "{{Key, Bucket}, 1}",
         "{{Key, Bucket}, 0}", 4},
    };
    for (const Planted& planted : all) {
        SCOPED_TRACE(std::string(planted.wrong) + " for " + planted.right);
        const databases::Comparison found = compared_with(planted);
        ASSERT_TRUE(is<Violated>(found.verdict));
        EXPECT_GE(planted.steps_max, found.difference->steps.size());
    }
}

}  // namespace
}  // namespace lockkeeper::testing_app
