// SPDX-License-Identifier: Apache-2.0
#include "reports/step_lines.hpp"

#include <algorithm>

namespace lockkeeper {

std::string source_of_step(std::string_view source, std::uint8_t label) {
    if (label == 0) {  // in no call
        return "";
    }
    const auto lines = step_lines();
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const StepLine& line) {
        return line.label == label && line.source == source;
    });
    return found == lines.end() ? "" : std::string(source) + ":" + std::to_string(found->line);
}

}  // namespace lockkeeper
