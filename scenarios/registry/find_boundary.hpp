// SPDX-License-Identifier: Apache-2.0

// The smallest or largest value of a parameter with which a scenario passes: binary search, each
// probe a complete exploration. On one side of the answer stands a complete enumeration, on the
// other a counterexample. Assumes that a value between a passing and a violated one is on one of
// two sides of a single boundary. Values that the scenario refuses (a grace as long as the lease)
// are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

// Values of a range that the scenario refuses, side by side for the same reason.
struct RefusedValues {
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::string why;
};

struct Boundary {
    std::optional<std::int32_t> value;      // nothing: none passes, or see `undecided`
    std::optional<std::int32_t> violated;   // the neighbour
    std::optional<std::int32_t> undecided;  // whose probe a limit ended; the search ends there
    std::vector<RefusedValues> refused;     // those that were tried
};

enum class Probed : std::uint8_t { kPassed, kViolated, kUndecided };

// `why_refused`: empty where the scenario takes the value.
[[nodiscard]] Boundary find_boundary(const BoundarySearch& range,
                                     const std::function<std::string(std::int32_t)>& why_refused,
                                     const std::function<Probed(std::int32_t)>& probe);

// "grace=0..20", as the command line says it. Nothing: it is no name with a range.
[[nodiscard]] std::optional<BoundarySearch> parse_boundary_search(std::string_view text,
                                                                  bool smallest);

}  // namespace lockkeeper
