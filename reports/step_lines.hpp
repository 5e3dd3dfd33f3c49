// SPDX-License-Identifier: Apache-2.0

// In which line of its source each step of a caller stands. The build reads it from the sources
// (cmake/LockkeeperPage.cmake). Used by run_json and sarif_writer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/shown.hpp"
#include "scheduler/runs/trace.hpp"

namespace lockkeeper {

struct StepLine {
    std::string_view source;  // ShownNames::steps
    std::uint8_t label = 0;   // ServerAct::label
    std::uint32_t line = 0;
};

// In no order.
[[nodiscard]] std::span<const StepLine> step_lines();
// In names.steps; 0: not known, or no step of a caller in a call.
[[nodiscard]] inline std::uint32_t line_of_step(const ShownNames& names, const TraceStep& step) {
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
