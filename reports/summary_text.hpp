// The numbers of an exploration or of a fuzzing run, one fact a line. Used by run_text.
#pragma once

#include <string>

#include "scheduler/runner.hpp"

namespace lockkeeper {

[[nodiscard]] std::string explore_summary(const ExploreResult& result);
[[nodiscard]] std::string fuzz_summary(const FuzzResult& result);

}  // namespace lockkeeper
