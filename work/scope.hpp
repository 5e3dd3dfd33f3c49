// SPDX-License-Identifier: Apache-2.0

// The scope of a run in one line: the scope in a report's first line, and the short one beside its
// verdict. A "passed" means nothing without its scope.
#pragma once

#include <string>

#include "model/world_config.hpp"
#include "scenarios/registry/job.hpp"

namespace lockkeeper {

// "2 callers, 1 key, max_per 1, buckets 2, crashes 0"; different values of one kind as "1,2".
[[nodiscard]] std::string scope_text(const WorldConfig& world);
// "2 callers, 1 crash"
[[nodiscard]] std::string short_scope_text(const WorldConfig& world);

// Callers, views and faults of the scope, with the parameters that were derived or set.
[[nodiscard]] std::string scope_of(const RegisteredSystem& system, const Scenario& scenario,
                                   const WorldConfig& world);
[[nodiscard]] std::string scope_of(const Job& job);

}  // namespace lockkeeper
