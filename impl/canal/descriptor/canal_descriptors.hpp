// SPDX-License-Identifier: Apache-2.0

// What the descriptors of the canal lock share: the published lock, its repairs, the planted bugs.
#pragma once

#include "impl/canal/canal_options.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

void add_planted_canal_bugs(Registry& registry);

[[nodiscard]] SystemDescription canal_description();  // of the faithful variant
[[nodiscard]] canal::CanalOptions canal_options(const Scenario& scenario, std::uint8_t repairs);

}  // namespace lockkeeper
