// SPDX-License-Identifier: Apache-2.0

// The parts of a sweep file that stand in several places of it: changes and conditions. For
// parse_sweep.cpp. They throw RefusedInput.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/sweep.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {

inline constexpr std::size_t kSweepChoicesMax = 1'000;  // of an axis; also elements of a list

void refuse_unless_property(const Place& place);

// Reads the change of a choice or a rule, whose keys are these and `own`.
[[nodiscard]] SweepChange parse_sweep_change(const Place& place, std::vector<std::string_view> own);
[[nodiscard]] SweepMeasuring parse_sweep_measuring(const Place& place);

// "a", 2 (at least so many), or a list of them, of which one has to hold; in it, ["a", "b"]: both.
// {"any": ["a", "b"]}: one of them; also "only", "least", "most", "different" (at most).
[[nodiscard]] std::vector<SweepAlternative> parse_sweep_alternatives(const Place& place,
                                                                     const SweptAxis& axis);
[[nodiscard]] SweepCondition parse_sweep_condition(const Place& place,
                                                   const std::vector<SweptAxis>& axes);
[[nodiscard]] std::vector<SweepCondition> parse_sweep_conditions(
    const std::optional<Place>& list, const std::vector<SweptAxis>& axes);

[[nodiscard]] std::optional<std::size_t> find_sweep_axis(const std::string& name,
                                                         const std::vector<SweptAxis>& axes);
[[nodiscard]] std::string unknown_sweep_axis(const std::string& name,
                                             const std::vector<SweptAxis>& axes);
// `place` has the name of a choice of this axis.
[[nodiscard]] std::string sweep_choice_named(const Place& place, const SweptAxis& axis);

}  // namespace lockkeeper
