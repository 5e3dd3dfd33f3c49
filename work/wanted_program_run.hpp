// SPDX-License-Identifier: Apache-2.0

// Has a program of the protocol a run in which operations have given answers, and some end before
// others begin? As wanted_run.hpp, which has the words, but the program is run again from its
// beginning for each way that is tried: its state cannot be put back. Used by save_incident.cpp.
//
// A program that promises `stateless` is not tried twice in one state. Time goes on where nobody
// can take a step and, if no run is found so, also where somebody can. Where the source then offers
// no time, a search that finds nothing is not complete. Faults do not happen. Deterministic, and
// bounded by `states_max` steps.
#pragma once

#include <vector>

#include "validate/outside/source.hpp"
#include "work/wanted_run.hpp"

namespace lockkeeper {

// Throws what the source throws: Misbehaved, Stopped; and DifferentAnswer: the same steps led to
// something else. A run that is found has been repeated once.
[[nodiscard]] WantedRun find_wanted_run(Source& source,
                                        const std::vector<WantedOperation>& operations,
                                        const WantedLimits& limits = {});

}  // namespace lockkeeper
