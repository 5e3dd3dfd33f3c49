// SPDX-License-Identifier: Apache-2.0

// The inverse of parse_script: operations to the short form that a person would write.
#pragma once

#include <span>

#include "model/json.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

// Everything but the names and the groups is the same.
[[nodiscard]] bool behave_alike(const CallerConfig& left, const CallerConfig& right);

// A list of operations, with "repeat" and "times" where parts stand several times in a row.
[[nodiscard]] nlohmann::ordered_json written_script(std::span<const Operation> operations,
                                                    const WorldConfig& world);

// {"script": [...], "repeat": ...} of one entry of "callers".
void write_script(const CallerConfig& caller, const WorldConfig& world,
                  nlohmann::ordered_json& entry);

}  // namespace lockkeeper
