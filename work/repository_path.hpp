// SPDX-License-Identifier: Apache-2.0

// A file as a code host names it. Used by the formats that a code host shows beside the source.
#pragma once

#include <string>

namespace lockkeeper {

// The path from the root of the file's repository, which is the nearest directory above it that has
// a ".git". Outside of any repository: from the working directory where the file is below it, else
// the absolute path. Standard input stays "-".
[[nodiscard]] std::string repository_path(const std::string& file);
// The directory from which that path counts; empty: the path is absolute, or standard input.
[[nodiscard]] std::string repository_root(const std::string& file);

// The file that a command line runs.
// "lock.py" for "python3 lock.py --wrong": the first word that names a file of the user's, which is
// one in a repository or below the working directory; else the first file that is no program; else
// the program itself, looked up as the shell does. Empty: there is none.
[[nodiscard]] std::string file_of_command(const std::string& command);

}  // namespace lockkeeper
