// SPDX-License-Identifier: Apache-2.0

// Cases of a scenario file: what each says together with its file, and how mistakes are named.
#include "scenarios/cases.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/json.hpp"
#include "scenarios/scenario_generator_test.hpp"
#include "scenarios/scenario_test_support.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;
using nlohmann::json;

std::string with_cases(const std::string& cases) {
    return with_script("[" + std::string(kTake) + "]",
                       R"(, "about": "all", "parameters": {"table": "cold", "manager": "none"},
                           "expect": {"states": 7}, "cases": )" +
                           cases);
}

std::string refusal_of(const std::string& cases, const std::string& name) {
    const auto parsed = parse_scenario(with_cases(cases), "x.json" + name);
    const auto* error = std::get_if<InputError>(&parsed);
    return error == nullptr ? "accepted" : error->pointer + ": " + error->message;
}

Scenario accepted_case(const std::string& cases, const std::string& name) {
    auto parsed = parse_scenario(with_cases(cases), "x.json#" + name);
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        ADD_FAILURE() << error->text();
        return {};
    }
    return std::get<Scenario>(std::move(parsed));
}

TEST(ACase, ReplacesKeysOfItsFileAndMembersOfParameters) {
    const std::string cases = R"([{"name": "one", "about": "first", "variant": "repaired",
        "parameters": {"max_decr_tries": 3, "table": {"warm": 1}}},
        {"name": "two", "expect": {"verdict": "stuck"}}])";
    const Scenario one = accepted_case(cases, "one");
    EXPECT_EQ(one.file, "x.json#one");
    EXPECT_EQ(one.about, "first");
    EXPECT_EQ(one.variant, "repaired");
    EXPECT_FALSE(one.parameters.has_manager);
    EXPECT_EQ(one.parameters.max_decr_tries, 3);
    EXPECT_EQ(one.parameters.tables.size(), 1U);
    EXPECT_EQ(one.expect.states, 7U);
    const Scenario two = accepted_case(cases, "two");
    EXPECT_EQ(two.about, "all");
    EXPECT_EQ(two.variant, "faithful");
    EXPECT_FALSE(two.expect.states) << "an expectation is replaced as a whole";
    EXPECT_EQ(scenario_complaint(json::parse(with_cases(cases))), "");
}

TEST(ACase, IsNamedByWhoeverWantsToRunIt) {
    const std::string cases = R"([{"name": "one"}, {"name": "two"}])";
    EXPECT_EQ(refusal_of(cases, ""),
              "/cases: the file has cases; name one, as x.json#one: one, two");
    EXPECT_EQ(refusal_of(cases, "#tow"), R"(/cases: unknown case "tow"; did you mean "two"?)");
    EXPECT_EQ(refusal_of(cases, "#9"), R"(/cases: unknown case "9"; the file has one, two)");
    const auto none = parse_scenario(with_script("[" + std::string(kTake) + "]"), "x.json#one");
    EXPECT_EQ(std::get<InputError>(none).message,
              R"(the file has no cases, and so none named "one")");
}

TEST(ACase, IsRefusedWhereItSaysWhatIsWrong) {
    EXPECT_EQ(refusal_of("[]", "#a"), "/cases: expected 1 to 64 elements, found 0");
    EXPECT_EQ(refusal_of("{}", "#a"), "/cases: expected an array, found an object");
    EXPECT_EQ(refusal_of("[1]", "#a"), "/cases/0: expected an object, found 1");
    EXPECT_EQ(refusal_of("[{}]", "#a"), R"(/cases/0: missing key "name")");
    EXPECT_EQ(refusal_of(R"([{"name": "a"}, {"name": "a"}])", "#a"),
              R"(/cases/1/name: another case is named "a")");
    EXPECT_EQ(refusal_of(R"([{"name": "a", "chekc": 1}])", "#a"),
              R"(/cases/0: unknown key "chekc"; did you mean "check"?)");
    EXPECT_EQ(refusal_of(R"([{"name": "a", "version": 1}])", "#a"),
              R"(/cases/0: "version" is a key of the file, not of a case)");
    EXPECT_EQ(refusal_of(R"([{"name": "a"}, {"name": "b", "parameters": {"returns": 1}}])", "#b"),
              R"(/cases/1/parameters/returns: expected "count" or "plain", found 1)");
    EXPECT_EQ(refusal_of(R"([{"name": "a", "callers": [{}]}])", "#a"),
              R"(/cases/0/callers/0: missing key "script")");
    // A mistake that a case makes of its file's key is named in the file.
    EXPECT_EQ(refusal_of(R"([{"name": "a", "method": "fuzz"}])", "#a"),
              R"(/expect/states: goes with "method": "explore" only)");
}

TEST(ACase, StandsOnceForEachNameOfAFile) {
    const auto file = std::filesystem::path(::testing::TempDir()) / "cases_test.json";
    std::ofstream(file) << with_cases(R"([{"name": "one"}, {"name": "two"}])");
    EXPECT_EQ(each_case(file.string()),
              (std::vector{file.string() + "#one", file.string() + "#two"}));
    EXPECT_EQ(std::get<Scenario>(load_scenario(file.string() + "#two")).file,
              file.string() + "#two");
    std::ofstream(file) << with_script("[" + std::string(kTake) + "]");
    EXPECT_EQ(each_case(file.string()), std::vector{file.string()});
    std::filesystem::remove(file);
    EXPECT_EQ(each_case(file.string()), std::vector{file.string()});
}

// Whichever keys of a scenario are left to a case, the two say the same together.
RC_GTEST_PROP(ACase, SaysWithItsFileWhatOneScenarioSays, ()) {
    const Scenario scenario = arbitrary_scenario();
    json document = json::parse(to_json_text(scenario));
    json one{{"name", "one"}};
    const auto move_some = [](json& from, json& to) {
        for (auto member = from.begin(); member != from.end();) {
            const bool moves = member.key() != "version" && *rc::gen::arbitrary<bool>();
            if (moves) {
                to[member.key()] = *member;
            }
            member = moves ? from.erase(member) : std::next(member);
        }
    };
    move_some(document, one);
    for (const char* key : {"parameters", "faults", "limits"}) {
        if (document.contains(key)) {
            one[key] = json::object();
            move_some(document[key], one[key]);
        }
    }
    document["cases"] = json::array({one});
    RC_LOG() << document.dump();
    RC_ASSERT(scenario_complaint(document) == "");
    const auto parsed = parse_scenario(document.dump(), "x.json#one");
    RC_ASSERT(std::holds_alternative<Scenario>(parsed));
    RC_ASSERT(same(std::get<Scenario>(parsed), scenario));
}

}  // namespace
}  // namespace lockkeeper
