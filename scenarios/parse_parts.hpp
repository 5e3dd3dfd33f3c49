// SPDX-License-Identifier: Apache-2.0

// Parts that several keys of a scenario have in common.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/parse_place.hpp"

namespace lockkeeper {

// {"name": number, ...} for what only the system knows, `others` left out.
[[nodiscard]] std::map<std::string, std::int32_t> parse_numbers(
    const Place& place, const std::vector<std::string_view>& others = {});

// A list of names, none of them twice.
[[nodiscard]] std::vector<std::string> parse_names(const Place& list, std::size_t size_max);

// For values that have to name one of `known`.
void refuse_unknown(const Place& place, std::string_view what, const std::string& name,
                    const std::vector<std::string>& known);

[[nodiscard]] std::vector<std::string> caller_names(const WorldConfig& world);

// A schedule, and one of its actions.
[[nodiscard]] Schedule schedule_at(const Place& place);
[[nodiscard]] Action action_at(const Place& place);

// A scenario inside of a larger document (a trace), which has been read by read_json. Throws
// RefusedInput.
[[nodiscard]] Scenario scenario_at(const Place& place, const std::string& file);

}  // namespace lockkeeper
