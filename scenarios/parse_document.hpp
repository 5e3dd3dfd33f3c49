// SPDX-License-Identifier: Apache-2.0

// Untrusted text to a JSON value, before anything is known about its meaning.
#pragma once

#include <string>

#include "model/json.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {

// Throws RefusedInput: larger than a scenario may be (or than `bytes_max`, of `what`), not JSON
// (with line and column), nested deeper than kScenarioDepthMax, or an object with the same key
// twice (which JSON allows and which always is a mistake). Comments are no JSON.
[[nodiscard]] nlohmann::json read_json(const InputText& input,
                                       std::size_t bytes_max = kScenarioBytesMax,
                                       std::string_view what = "a scenario");

}  // namespace lockkeeper
