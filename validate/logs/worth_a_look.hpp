// SPDX-License-Identifier: Apache-2.0

// Runs that explain lines: which moments are worth a look, and in what two of them differ. Used
// by words.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "validate/logs/retell.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

inline constexpr std::size_t kMomentsMax = 60;  // of a run that is shown in full

// By position: moments that no line shows, effects of others, refused lines. `is_found`: it has all
// lines.
[[nodiscard]] std::vector<bool> shown_moments(const Retold& run, bool is_found);

// Whoever knows in what they differ knows the cause.
// "  the runs differ: only in the first a acts without the lock (5.000..5.001); only in this one
// a's renew is carried out (1.000 or later)" as a line; empty: only times differ.
[[nodiscard]] std::string differences(const Problem& problem, const Retold& first,
                                      const Retold& other, const TimeForm& form);

}  // namespace lockkeeper::logs
