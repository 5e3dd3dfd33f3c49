// How the watcher starts a program. Asks for no memory.
#pragma once

#include <sys/types.h>

#include <array>

#include "validate/processes/watcher_messages.hpp"

namespace lockkeeper::watcher_detail {

using PassedDescriptors = std::array<int, kPassedCount>;

// The child, or -1 with `error` set. The descriptors stay open.
[[nodiscard]] pid_t start_program(const Question& question, const PassedDescriptors& passed,
                                  int& error) noexcept;
// Runs `program` (a path) with a null-ended list of arguments and no environment; the same result.
[[nodiscard]] pid_t start_simply(const char* program, char* const* arguments) noexcept;

}  // namespace lockkeeper::watcher_detail
