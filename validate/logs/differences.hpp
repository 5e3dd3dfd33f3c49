// SPDX-License-Identifier: Apache-2.0

// In what two runs that explain the same lines differ: whoever knows which of it happened knows the
// cause. Used by words.cpp.
#pragma once

#include <string>

#include "validate/logs/retell.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

// "  the runs differ: only in the first a acts without the lock (5.000..5.001); only in this one
// a's renew is carried out (1.000 or later)" as a line; empty: only times differ.
[[nodiscard]] std::string differences(const Problem& problem, const Retold& first,
                                      const Retold& other, const TimeForm& form);

}  // namespace lockkeeper::logs
