// SPDX-License-Identifier: Apache-2.0

// What a search of a program, or one run of it, comes to. What was found is shrunk and run several
// times more before it counts.
#pragma once

#include <string>
#include <vector>

#include "model/verdict.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {

struct OutsideVerdict {
    Verdict verdict;
    // The run that shows it, and what it breaks; null: nothing, or the program misbehaves in it.
    Schedule schedule;
    OutsideTrace trace;
    const Property* property = nullptr;
    bool misbehaves = false;
    bool is_shown = false;  // as it was, whatever it came to
    std::string found_by;
};

[[nodiscard]] OutsideVerdict judge_search(OutsideSearch& search, const OutsideResult& result,
                                          const OutsideWorld& world, std::uint64_t seed);
// `labels`: of the steps, as a trace file has them; an empty one is not compared.
[[nodiscard]] OutsideVerdict judge_replay(OutsideSearch& search, const Schedule& schedule,
                                          const std::vector<std::string>& labels);

}  // namespace lockkeeper
