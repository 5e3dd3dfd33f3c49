// SPDX-License-Identifier: Apache-2.0

// The verdict on a program after a search or a single run. A finding is shrunk and run several
// times more before it counts.
#pragma once

#include <string>
#include <vector>

#include "model/verdict.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {

struct OutsideVerdict {
    Verdict verdict;
    // The run that shows it, and the property it violates; null: none, or the program misbehaves.
    Schedule schedule;
    OutsideTrace trace;
    const Property* property = nullptr;
    bool misbehaves = false;
    bool is_shown = false;  // the report shows the run, whatever its verdict
    std::string found_by;
};

// Searches and judges. A process that is kept from run to run may have something of an earlier run
// in it: where that makes a difference, all is searched again by new processes.
[[nodiscard]] OutsideVerdict search_and_judge(OutsideSearch& search, OutsideResult& result,
                                              const OutsideWorld& world, std::uint64_t seed);
// A search that is over.
[[nodiscard]] OutsideVerdict judge_search(OutsideSearch& search, const OutsideResult& result,
                                          const OutsideWorld& world, std::uint64_t seed);
// `labels`: the labels of the steps in a trace file; an empty one is not compared.
[[nodiscard]] OutsideVerdict judge_replay(OutsideSearch& search, const Schedule& schedule,
                                          const std::vector<std::string>& labels);

}  // namespace lockkeeper
