// SPDX-License-Identifier: Apache-2.0

// Random scenarios survive writing and reading; random damage never does harm.
#include <regex>

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

RC_GTEST_PROP(ScenarioText, ReadsBackToTheScenarioThatWasWritten, ()) {
    const Scenario scenario = arbitrary_scenario();
    const std::string text = to_json_text(scenario);
    const auto parsed = parse_scenario(text, "x.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        RC_LOG() << text;
        RC_FAIL(error->text());
    }
    RC_LOG() << text;
    RC_ASSERT(same(std::get<Scenario>(parsed), scenario));
}

RC_GTEST_PROP(ScenarioText, MeetsThePublishedSchema, ()) {
    const std::string text = to_json_text(arbitrary_scenario());
    RC_LOG() << text;
    RC_ASSERT(scenario_complaint(json::parse(text)) == "");
}

// Either a scenario, or a message of one line that begins with the file and the place in it.
void assert_harmless(const std::string& text) {
    const auto parsed = parse_scenario(text, "x.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        static const std::regex kPlace("x\\.json:[0-9]+:[0-9]+: .*");
        RC_LOG() << error->text();
        RC_ASSERT(std::regex_match(error->text(), kPlace));
        RC_ASSERT(error->text().find('\n') == std::string::npos);
    }
}

RC_GTEST_PROP(DamagedText, IsReadOrRefusedInOneLine, ()) {
    std::string text = to_json_text(arbitrary_scenario());
    const int damages = *rc::gen::inRange(1, 6);
    for (int i = 0; i < damages && !text.empty(); ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        switch (*rc::gen::inRange(0, 4)) {
            case 0: text[at] = *rc::gen::arbitrary<char>(); break;
            case 1: text.erase(at, *rc::gen::inRange<std::size_t>(1, 20)); break;
            case 2: text.insert(at, 1, *rc::gen::elementOf(std::string("{}[],:\"0-e\\"))); break;
            default: text.insert(at, text.substr(at, *rc::gen::inRange<std::size_t>(1, 40))); break;
        }
    }
    assert_harmless(text);
}

// A value somewhere in the document, each equally likely to be stopped at.
json& somewhere(json& document) {
    json* value = &document;
    while (value->is_structured() && !value->empty() && *rc::gen::inRange(0, 6) != 0) {
        const auto index = *rc::gen::inRange<std::size_t>(0, value->size());
        value = &*std::next(value->begin(), static_cast<std::ptrdiff_t>(index));
    }
    return *value;
}

json arbitrary_value() {
    const std::vector<json> values{nullptr,
                                   true,
                                   0,
                                   -1,
                                   100'000,
                                   1.5,
                                   "",
                                   "all",
                                   "db",
                                   "warm",
                                   "current",
                                   json::array(),
                                   json::object(),
                                   json::array({1}),
                                   json{{"key", "db"}},
                                   18'446'744'073'709'551'615U,
                                   json{{"warm", 1}},
                                   "forever"};
    return *rc::gen::elementOf(values);
}

void damage(json& document) {
    json& value = somewhere(document);
    if (value.is_object() && !value.empty() && *rc::gen::arbitrary<bool>()) {
        const auto index = *rc::gen::inRange<std::size_t>(0, value.size());
        value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(index)));
        return;
    }
    value = arbitrary_value();
}

RC_GTEST_PROP(DamagedDocument, IsReadOrRefusedInOneLine, ()) {
    json document = json::parse(to_json_text(arbitrary_scenario()));
    const int damages = *rc::gen::inRange(1, 4);
    for (int i = 0; i < damages; ++i) {
        damage(document);
    }
    assert_harmless(document.dump());
}

// The schema is no stricter than the parser. It cannot be as strict: it sees no names.
RC_GTEST_PROP(DamagedDocument, IsAcceptedByTheSchemaWhenTheParserAcceptsIt, ()) {
    json document = json::parse(to_json_text(arbitrary_scenario()));
    damage(document);
    const bool parser_accepts = refusal(document.dump()) == "accepted";
    RC_CLASSIFY(parser_accepts, "accepted");
    if (parser_accepts) {
        RC_LOG() << document.dump(2);
        RC_ASSERT(scenario_complaint(document) == "");
    }
}

}  // namespace
}  // namespace lockkeeper
