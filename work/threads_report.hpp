// SPDX-License-Identifier: Apache-2.0

// The report of a program with threads, from what the program has said of itself. Used by
// `lockkeeper threads` where another format than text is asked for. No errors: a program that says
// nothing is a verdict, too.
#pragma once

#include <string>

#include "validate/threads/command/results.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// `program`: as it was named.
[[nodiscard]] RunReport threads_report(const threads::ProgramResult& result,
                                       const std::string& program);

}  // namespace lockkeeper
