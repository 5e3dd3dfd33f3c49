// SPDX-License-Identifier: Apache-2.0

// The world of a lock that any number of callers of each kind use: the same world with other
// numbers of callers, whose scripts go on for ever, and who may crash at any time if anybody may.
#pragma once

#include <cstddef>
#include <vector>

#include "model/world_config.hpp"

namespace lockkeeper::proofs {

// The kinds of callers: callers that behave alike are of one kind, wherever they stand. Their
// scripts begin again when they end; what a script repeats, it says once.
[[nodiscard]] std::vector<CallerConfig> kinds_of_callers(const WorldConfig& world);

// A world with so many callers of each kind, and as many crashes as callers. `absent`: one more
// caller at the end, who has nothing to do.
[[nodiscard]] WorldConfig looping_world(const WorldConfig& world,
                                        const std::vector<std::size_t>& counts, bool absent);

// The world that ReplicatedWorld is made of: as few callers as steps are tried with.
[[nodiscard]] WorldConfig world_to_take_apart(const WorldConfig& world);
// The same with one caller of each kind; and with one more at the end, who is as if absent.
[[nodiscard]] WorldConfig one_of_each(const WorldConfig& world);
[[nodiscard]] WorldConfig one_is_absent(const WorldConfig& world);

}  // namespace lockkeeper::proofs
