// SPDX-License-Identifier: Apache-2.0

// Suggests what to type next where a search has ended with something left.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

// The flag that raises the limit which ended it ("states", "memory", "time"), in words: "a larger
// --max-states". Empty: no flag helps.
[[nodiscard]] std::string flag_beyond(std::string_view limit);
// A line of a report; empty where there is nothing to try.
[[nodiscard]] std::string next_text(const std::vector<std::string>& to_try);

}  // namespace lockkeeper
