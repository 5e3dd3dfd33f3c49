// "did you mean ...?"
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

}  // namespace lockkeeper
