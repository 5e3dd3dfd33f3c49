// SPDX-License-Identifier: Apache-2.0

// "did you mean ...?": in scenarios, traces, histories and on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

// The known name that a typing error may have turned into `name`: at most a third of its letters
// wrong (inserted, missing, replaced, or two exchanged). Nothing is better than a wild guess.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string_view>& known);

// The end of a message about `name`: `; did you mean "leak"?`, or `otherwise`, where nothing is
// near. Every such message of the program ends this way.
[[nodiscard]] std::string did_you_mean(std::string_view name,
                                       const std::vector<std::string_view>& known,
                                       const std::string& otherwise = "");

}  // namespace lockkeeper
