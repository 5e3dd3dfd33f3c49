// SPDX-License-Identifier: Apache-2.0

// Where what comes with the command is: the tool of the clinic, the playground.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "app/options.hpp"

namespace lockkeeper {

// This program.
[[nodiscard]] inline std::filesystem::path this_command() {
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

// For a command that is PREFIX/bin/lockkeeper or build/PRESET/lockkeeper: what an installed copy
// has, and the sources.
[[nodiscard]] inline std::array<std::filesystem::path, 2> roots_beside(
    const std::filesystem::path& command) {
    const std::filesystem::path folder = command.parent_path();
    return {(folder / "../share/lockkeeper").lexically_normal(),
            (folder / "../..").lexically_normal()};
}

// `asked`, or where the playground is beside the command; UsageError names both places.
[[nodiscard]] std::string playground_folder(const std::filesystem::path& command,
                                            const std::vector<std::string>& asked);
// The words of the command line of the clinic's tool, which does the work for `make clinic`, too.
// `command`: this program, which the tool runs for each library. UsageError, which names what was
// looked for and where: they are not installed beside it.
[[nodiscard]] std::vector<std::string> clinic_command(const std::filesystem::path& command,
                                                      const Options& options);

}  // namespace lockkeeper
