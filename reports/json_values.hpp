// SPDX-License-Identifier: Apache-2.0

// Values that several documents write alike. Used by the writers of JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/property.hpp"

namespace lockkeeper {

// The document of results, which `report` and the page read again.
inline constexpr int kResultVersion = 1;

template <class Value>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<Value>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
[[nodiscard]] inline nlohmann::ordered_json or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}
[[nodiscard]] inline nlohmann::ordered_json names(const std::vector<const Property*>& properties) {
    nlohmann::ordered_json::array_t list;
    for (const Property* property : properties) {
        list.push_back(property->name);
    }
    return list;
}

}  // namespace lockkeeper
