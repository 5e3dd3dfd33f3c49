// SPDX-License-Identifier: Apache-2.0

// The file that a command line runs, for code hosts, which show what is said beside a file.
#pragma once

#include <string>

namespace lockkeeper {

// "lock.py" for "python3 lock.py --wrong": the first word that names a file of the user's, which is
// one in a repository or below the working directory; else the first file that is no program; else
// the program itself, looked up as the shell does. Empty: there is none.
[[nodiscard]] std::string file_of_command(const std::string& command);

}  // namespace lockkeeper
