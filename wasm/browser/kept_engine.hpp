// SPDX-License-Identifier: Apache-2.0

// The engine of a worker, made when it is first asked. exports.cpp and exports_command.cpp call it:
// two modules, of which the smaller answers the explorer alone (cmake/LockkeeperWasm.cmake).
#pragma once

#include <string>

#include "wasm/engine/engine.hpp"

namespace lockkeeper {

[[nodiscard]] Engine& kept_engine();
// The text as C has it. It stays until the next call.
[[nodiscard]] const char* kept_until_next(std::string text);

}  // namespace lockkeeper
