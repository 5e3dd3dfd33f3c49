// The rows of the table of flags (flags.hpp), by what they are about. Used by flags.cpp only.
#pragma once

#include <vector>

#include "app/flags.hpp"

namespace lockkeeper {

// flag_rows_of_verbs.cpp: of what a single verb does.
[[nodiscard]] std::vector<Flag> flags_of_histories();
[[nodiscard]] std::vector<Flag> flags_of_programs();
[[nodiscard]] std::vector<Flag> flags_of_measuring();
[[nodiscard]] std::vector<Flag> flags_of_sweeps();
[[nodiscard]] std::vector<Flag> flags_of_exploring();
[[nodiscard]] std::vector<Flag> flags_of_runs();
// flag_rows.cpp: of most verbs.
[[nodiscard]] std::vector<Flag> flags_of_limits();
[[nodiscard]] std::vector<Flag> flags_of_questions();
[[nodiscard]] std::vector<Flag> flags_of_outputs();

}  // namespace lockkeeper
