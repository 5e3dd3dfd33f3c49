// SPDX-License-Identifier: Apache-2.0

// The reductions of an exploration, for people and in JSON.
#pragma once

#include <string>
#include <vector>

#include "model/reduction.hpp"

namespace lockkeeper {

struct ExploreResult;

// "symmetry, sleep sets"; whether lengths are promised.
[[nodiscard]] std::string reductions_text(const Reductions& used);
// The reductions that were used: "symmetry", "sleep-sets", and the words of --reduction.
[[nodiscard]] std::vector<std::string> reductions_used(const ExploreResult& result);

}  // namespace lockkeeper
