// SPDX-License-Identifier: Apache-2.0

// Answers what needs the whole graph (livelock, the number of interleavings) after several
// processes have searched together. If the states are few enough, the first process searches once
// more, alone, and tells the others.
#pragma once

#include <functional>

#include "scheduler/ranks/ranks.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {

// At most so many states are searched again for a livelock. Interleavings are counted up to
// kCountedStatesMax anyway.
inline constexpr std::uint64_t kStatesAloneMax = 20'000'000;

// `livelock`: nullptr when it is not asked about. `explore`: the search of one process, called on
// the first rank only.
void look_at_graph_alone(ExploreResult& result, const ExploreOptions& options,
                         const Property* livelock,
                         const std::function<ExploreResult(const ExploreOptions&)>& explore);

}  // namespace lockkeeper
