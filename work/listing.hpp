// SPDX-License-Identifier: Apache-2.0

// The entries of `lockkeeper list`: systems, properties, strategies, limits. Used by the verb, the
// manual and completion.
#pragma once

#include <string>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "work/results/listing.hpp"

namespace lockkeeper {

// UsageError, with the nearest name, where what is wanted does not exist.
[[nodiscard]] Listing make_listing(const Registry& registry, std::vector<std::string> wanted);

}  // namespace lockkeeper
