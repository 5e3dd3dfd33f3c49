// SPDX-License-Identifier: Apache-2.0

// Descriptors of the canal lock share these: the published lock, its repairs, the planted bugs.
#pragma once

#include "impl/canal/canal_options.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

void add_planted_canal_bugs(Registry& registry);
void add_canal_mailbox(Registry& registry);  // and its planted bug

[[nodiscard]] SystemDescription canal_description();  // of the faithful variant
[[nodiscard]] SystemDescription with_canal_repairs(SystemDescription faithful);
[[nodiscard]] std::uint8_t canal_repairs_of(const Scenario& scenario);
[[nodiscard]] canal::CanalOptions canal_options(const Scenario& scenario, std::uint8_t repairs);

}  // namespace lockkeeper
