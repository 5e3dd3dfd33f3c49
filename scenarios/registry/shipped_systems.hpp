// SPDX-License-Identifier: Apache-2.0

// Everything that Lockkeeper ships. CMake writes the function: it calls `register_<name>` of each
// impl/<name>/descriptor/register.cpp, in the order of the names.
#pragma once

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

[[nodiscard]] Registry shipped_systems();

}  // namespace lockkeeper
