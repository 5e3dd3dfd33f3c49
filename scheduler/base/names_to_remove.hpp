// SPDX-License-Identifier: Apache-2.0

// Names of files that must not outlive the process, kept where a signal handler can read them: a
// second Ctrl-C ends the process without destructors. Used by output_file only; the handler calls
// remove_unfinished_files().
#pragma once

#include <string>

namespace lockkeeper {

// Where there is no room for one more, only the destructor of its owner removes the file.
void remember_to_remove(const std::string& name);
void forget_to_remove(const std::string& name) noexcept;

}  // namespace lockkeeper
