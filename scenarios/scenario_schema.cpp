// SPDX-License-Identifier: Apache-2.0

// The published schema around the schemas of the keys.
#include "scenarios/fields.hpp"
#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/operations.hpp"
#include "scenarios/keys/schema_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDescription =
    "What to build, who calls what, which faults may happen, what must hold and what is expected. "
    "docs/reference/scenario_keys.md explains each key, docs/howto/write_a_scenario.md has "
    "examples. The parser refuses in addition: the same key twice in one object, names that the "
    "scenario does not contain, a release before any acquire of its key that leaves out max_per "
    "or buckets, fixed and \"current\" buckets of one key in one script, operations after an "
    "exit, a signal that nobody gives or nobody waits for, more than 16 signals, more than 8 "
    "if_holding inside of each other, more turns than operations, and scripts that are too long "
    "when written out.";

// Required of a file without cases, and of a file with one of its cases laid over it.
constexpr const char* kWhole = R"({
    "required": ["system", "callers"],
    "allOf": [
        {"if": {"required": ["order"]}, "then": {"properties": {"method": {"enum": ["order"]}}}},
        {
            "if": {"required": ["schedule"], "not": {"required": ["order"]}},
            "then": {"properties": {"method": {"enum": ["replay"]}}}
        },
        {
            "if": {"required": ["method"], "properties": {"method": {"enum": ["order"]}}},
            "then": {"required": ["order"]}
        },
        {
            "if": {"required": ["method"], "properties": {"method": {"enum": ["replay"]}}},
            "then": {"required": ["schedule"]}
        },
        {"if": {"required": ["order"]}, "then": {"not": {"required": ["schedule"]}}},
        {"if": {"required": ["resizes"]}, "then": {"required": ["view"]}}
    ]
})";

constexpr const char* kName = R"({
    "type": "string", "pattern": "^[A-Za-z0-9_.:-]+$", "minLength": 1, "maxLength": 64
})";

// False for the keys of the file alone.
bool is_of_case(std::string_view key) {
    return key != "$schema" && key != "version" && key != "cases";
}

Json schema_of_case() {
    Json keys{{"name", defined("name")}};
    for (const std::string_view key : keys_of("")) {
        if (is_of_case(key)) {
            keys[std::string(key)] = {{"$ref", "#/properties/" + std::string(key)}};
        }
    }
    return object_schema(keys, {"name"});
}

}  // namespace

Json scenario_schema() {
    return {{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"$id", "scenario.schema.json"},
            {"title", "Lockkeeper scenario, version 1"},
            {"description", kDescription},
            {"type", "object"},
            {"additionalProperties", false},
            {"required", {"version"}},
            {"properties", schema_of_fields("")},
            {"if", {{"not", {{"required", {"cases"}}}}}},
            {"then", defined("whole")},
            {"definitions",
             {{"whole", Json::parse(kWhole)},
              {"case", schema_of_case()},
              {"name", Json::parse(kName)},
              {"own_number", whole_schema(-kOwnNumberMax, kOwnNumberMax)},
              {"weights", schema_of_weights()},
              {"script", list_schema(defined("operation"), 1, kOperationsMax)},
              {"operation", schema_of_operation()}}}};
}

}  // namespace lockkeeper
