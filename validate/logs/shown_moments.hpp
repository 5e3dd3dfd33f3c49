// SPDX-License-Identifier: Apache-2.0

// Which moments of a run are worth a look: what no line shows, effects of others, refused lines.
// Used by words.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "validate/logs/retell.hpp"

namespace lockkeeper::logs {

inline constexpr std::size_t kMomentsMax = 60;  // of a run that is shown in full

// By position. `is_found`: the run has all lines.
[[nodiscard]] std::vector<bool> shown_moments(const Retold& run, bool is_found);

}  // namespace lockkeeper::logs
