// SPDX-License-Identifier: Apache-2.0

// The model that `lockkeeper explain` is asked for: one of histories ("lease:ttl=15s"), or a system
// with its parameters ("lease_db:ttl=15s", "canal/faithful:max_per=3"), whose lines are explained
// by what it promises and whose steps the run is then written with. UsageError: neither.
#pragma once

#include <string>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

struct IncidentModel {
    std::string model;   // of histories
    std::string system;  // "canal/faithful"; empty: nobody named one
};

[[nodiscard]] IncidentModel incident_model(const Registry& registry, const std::string& text);

}  // namespace lockkeeper
