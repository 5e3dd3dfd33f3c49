// SPDX-License-Identifier: Apache-2.0

// Numbers by name: those that a scenario gives, and its system's defaults for all others. They are
// kept apart, so that a scenario that has been understood is still written as it was given.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace lockkeeper {

// The map itself contains the numbers that are given.
class NamedNumbers : public std::map<std::string, std::int32_t> {
  public:
    using Map = std::map<std::string, std::int32_t>;
    NamedNumbers() = default;
    NamedNumbers(Map given) : Map(std::move(given)) {}  // NOLINT(google-explicit-constructor)

    void set_defaults(Map defaults) { defaults_ = std::move(defaults); }

    // Given, or by default.
    [[nodiscard]] bool contains(const std::string& name) const {
        return Map::contains(name) || defaults_.contains(name);
    }
    [[nodiscard]] std::int32_t at(const std::string& name) const {
        const auto given = find(name);
        return given != end() ? given->second : defaults_.at(name);
    }
    // Returns `otherwise` where the system has no such number.
    [[nodiscard]] std::int32_t value_or(const std::string& name, std::int32_t otherwise) const {
        return contains(name) ? at(name) : otherwise;
    }

  private:
    Map defaults_;
};

}  // namespace lockkeeper
