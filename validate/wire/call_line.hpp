// SPDX-License-Identifier: Apache-2.0

// A call as a driver is told it: "acquire db", "acquire a 5 with=b,c weight=3". Used by WireRun.
#pragma once

#include <string>

#include "model/world_config.hpp"

namespace lockkeeper::wire {

// The number, the other keys and the weight are there where the operation has them.
[[nodiscard]] std::string line_of_call(const WorldConfig& world, const Operation& operation);

}  // namespace lockkeeper::wire
