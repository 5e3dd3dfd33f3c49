// SPDX-License-Identifier: Apache-2.0

// How a program that is linked with the runtime is started: what its environment tells it.
#pragma once

#include <string>
#include <vector>

#include "validate/threads/command/command.hpp"

namespace lockkeeper::threads {

// Empty: it can be run. What it says is not believed: it is looked at again when it starts.
[[nodiscard]] std::string what_is_wrong_with(const std::string& program);
// The value of LOCKKEEPER_THREADS.
[[nodiscard]] std::string settings_of(const Asked& asked);
// In the form of exec; they point into the program's.
[[nodiscard]] std::vector<char*> arguments_of(const std::vector<std::string>& program);

}  // namespace lockkeeper::threads
