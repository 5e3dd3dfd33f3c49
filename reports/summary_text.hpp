// SPDX-License-Identifier: Apache-2.0

// The numbers of an exploration or of a fuzzing run. Used by run_text and by the page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/runs/fuzz.hpp"

namespace lockkeeper {

// "distinct states", "361"
using Fact = std::pair<std::string, std::string>;

[[nodiscard]] std::vector<Fact> facts_of(const ExploreResult& result);
[[nodiscard]] std::vector<Fact> facts_of(const FuzzResult& result);
// One fact a line.
[[nodiscard]] std::string facts_text(const std::vector<Fact>& facts);

}  // namespace lockkeeper
