// SPDX-License-Identifier: Apache-2.0

// `lockkeeper clinic`: finds the tool and the libraries beside the command, and starts the tool,
// which does the work for `make clinic`, too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/options.hpp"

namespace lockkeeper {

// The words of the tool's command line. `command`: this program, which the tool runs for each
// library. UsageError, which names what was looked for and where: they are not installed beside it.
[[nodiscard]] std::vector<std::string> clinic_command(const std::filesystem::path& command,
                                                      const Options& options);

}  // namespace lockkeeper
