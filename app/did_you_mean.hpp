// The end of a message about an unknown name. Used by the registry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/nearest_name.hpp"

namespace lockkeeper {

// `; did you mean "leak"?`, or nothing where no known name is near.
[[nodiscard]] inline std::string did_you_mean(const std::string& name,
                                              const std::vector<std::string>& known) {
    const std::vector<std::string_view> views(known.begin(), known.end());
    const auto nearest = nearest_name(name, views);
    return nearest ? "; did you mean \"" + *nearest + "\"?" : "";
}

}  // namespace lockkeeper
