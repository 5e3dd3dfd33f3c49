// SPDX-License-Identifier: Apache-2.0

// Shared by the schemas of several keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/json.hpp"

namespace lockkeeper {

// A definition of the published schema (scenarios/scenario_schema.cpp).
[[nodiscard]] inline nlohmann::ordered_json defined(std::string_view name) {
    return {{"$ref", "#/definitions/" + std::string(name)}};
}

[[nodiscard]] inline nlohmann::ordered_json whole_schema(std::int64_t least, std::int64_t most) {
    return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

[[nodiscard]] inline nlohmann::ordered_json list_schema(nlohmann::ordered_json items,
                                                        std::size_t least, std::size_t most) {
    nlohmann::ordered_json schema{{"type", "array"}};
    if (least > 0) {
        schema["minItems"] = least;
    }
    schema["maxItems"] = most;
    schema["items"] = std::move(items);
    return schema;
}

// An object with these members and no others.
[[nodiscard]] inline nlohmann::ordered_json object_schema(
    nlohmann::ordered_json properties, nlohmann::ordered_json required = nullptr) {
    nlohmann::ordered_json schema{{"type", "object"}, {"additionalProperties", false}};
    if (!required.is_null()) {
        schema["required"] = std::move(required);
    }
    schema["properties"] = std::move(properties);
    return schema;
}

// Any names, each with such a value.
[[nodiscard]] inline nlohmann::ordered_json map_schema(nlohmann::ordered_json value,
                                                       std::size_t most) {
    return {
        {"type", "object"}, {"maxProperties", most}, {"additionalProperties", std::move(value)}};
}

[[nodiscard]] inline nlohmann::ordered_json words_schema(nlohmann::ordered_json words) {
    return {{"type", "string"}, {"enum", std::move(words)}};
}

[[nodiscard]] inline nlohmann::ordered_json described(nlohmann::ordered_json schema,
                                                      std::string_view description) {
    schema["description"] = description;
    return schema;
}

}  // namespace lockkeeper
