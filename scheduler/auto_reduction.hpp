// SPDX-License-Identifier: Apache-2.0

// `--reduction auto`, the default. A scope is searched with symmetry and sleep sets alone up to
// AutoReduction::states_before states: small scopes keep their counts, their numbers of
// interleavings and shortest lengths. A larger one is searched again, with what is sound for its
// properties and its system:
//
//   relative time, faults left   where the system has them. Shortest lengths stay.
//   private steps                where it has neither. Lengths are not promised, but violations of
//                                the first search keep their length.
//
// Which reduction a search can do, only Runner::possible() says; of those `auto` takes what pays. A
// reduced search judges livelock by a search of its own (system_runner_relative.hpp). Where every
// state is needed, nothing is searched again, and the plan says why.
#pragma once

#include <string_view>

#include "scheduler/runner.hpp"

namespace lockkeeper {

struct ReductionPlan {
    Reduction further = Reduction::kNone;  // of the second search
    std::string_view why_none = {};        // for people; empty where there is one
};

// Chooses what `auto` does beyond AutoReduction::states_before.
[[nodiscard]] ReductionPlan plan_of(const Runner& runner, const ExploreOptions& options);

}  // namespace lockkeeper
