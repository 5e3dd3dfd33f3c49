// Which built-in scenarios fit a program. Used by validate_program.cpp only.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session.hpp"

namespace lockkeeper {

// --level, or its default.
[[nodiscard]] bool is_stepped(const Session& session);

struct ChosenBuiltIns {
    std::vector<InputFile> files;
    std::int64_t lease_time =
        0;  // of the program's grants: ticks, or milliseconds; 0: they have no end
};

// Those that are named; where no scenario is named, those that fit the program after a short look
// at it. What is left out is told, with the reason. Throws UsageError for a built-in scenario that
// is not there, or not at this level.
[[nodiscard]] ChosenBuiltIns choose_built_ins(const Session& session);

}  // namespace lockkeeper
