// SPDX-License-Identifier: Apache-2.0
#include "reports/step_lines.hpp"

#include <algorithm>

namespace lockkeeper {

std::uint32_t line_of_step(const ShownNames& names, const TraceStep& step) {
    if (step.words.doer != Doer::kCaller || step.act.label == 0) {
        return 0;
    }
    const auto lines = step_lines();
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const StepLine& line) {
        return line.label == step.act.label && line.source == names.steps;
    });
    return found == lines.end() ? 0 : found->line;
}

}  // namespace lockkeeper
