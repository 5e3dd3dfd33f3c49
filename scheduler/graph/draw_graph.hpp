// SPDX-License-Identifier: Apache-2.0

// Draws the graph of a system, state by state: what a search keeps has no words. Used for reports
// and by the explorer.
#pragma once

#include <cstdint>
#include <vector>

#include "model/erased_system.hpp"
#include "scheduler/graph/drawn_graph.hpp"

namespace lockkeeper {

// Equal for equal states; two others have the same with probability 2^-64.
[[nodiscard]] std::uint64_t fingerprint_of(const ErasedSystem& system,
                                           const ErasedSystem::State& state);

// `symmetry`: states that differ only in which of several interchangeable callers is which are one.
[[nodiscard]] DrawnGraph draw_graph(const ErasedSystem& system, bool symmetry,
                                    const std::vector<const Property*>& check,
                                    std::size_t states_max);

}  // namespace lockkeeper
