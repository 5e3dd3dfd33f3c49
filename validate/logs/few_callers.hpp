// SPDX-License-Identifier: Apache-2.0

// The lines of a few callers alone. A run of a correct lock stays one where all that other callers
// did is taken out of it, if each refusal is then right: so where a few callers contradict each
// other, no run has all lines. Much smaller than the whole where many workers' clocks are wrong.
// Called by explain.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "validate/logs/problem.hpp"
#include "validate/logs/retell.hpp"
#include "validate/logs/search.hpp"

namespace lockkeeper::logs {

// Nobody gives back what another holds, which a run without that one would lack. `lost_max`: lines
// that may be missing, and may have said that somebody did.
[[nodiscard]] bool can_leave_out_callers(const Problem& problem, std::uint32_t lost_max);

// Refusals say who held it, and it was one of these callers.
[[nodiscard]] bool names_known_holders(const std::vector<Source>& sources, const Problem& problem);

// Groups worth a look: whoever acts in the run without holding, or made the line that no run
// reaches, alone, then beside each other one, first those that hold at the end.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> suspects(const Problem& problem,
                                                               const Retold& run,
                                                               const Line* unreached);

// Lines are missing only of callers that hold where no run gets further, or made the line there,
// and from their last grants on.
[[nodiscard]] Problem near_incident(const Problem& problem, const Furthest& furthest,
                                    const Retold& nearest);

// Without the lines of all others. States that name one of them or count holders are gone, too.
[[nodiscard]] Problem only_of(const Problem& problem, const std::vector<std::uint32_t>& callers);

}  // namespace lockkeeper::logs
