// SPDX-License-Identifier: Apache-2.0

// In which line of its source each step of a caller stands. The build reads it from the sources
// (cmake/LockkeeperPage.cmake). Used by page_run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockkeeper {

struct StepLine {
    std::string_view source;  // ShownNames::steps
    std::uint8_t label = 0;   // ServerAct::label
    std::uint32_t line = 0;
};

// In no order.
[[nodiscard]] std::span<const StepLine> step_lines();
// "impl/canal/canal_caller.hpp:47"; empty: it is not known.
[[nodiscard]] std::string source_of_step(std::string_view source, std::uint8_t label);

}  // namespace lockkeeper
