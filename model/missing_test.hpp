// SPDX-License-Identifier: Apache-2.0

// Skips a test that needs something this machine lacks, such as an interpreter or a server, and
// says what. Where the variable CI is set the test fails instead, because nobody reads what CI
// skips.
#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace lockkeeper::testing_model {

inline bool is_in_ci() {
    const char* variable = std::getenv("CI");
    return variable != nullptr && *variable != '\0';
}

inline bool has_tool(const std::string& name) {
    return system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace lockkeeper::testing_model

// Ends the test; for use in a test's own body.
#define SKIP_FOR_LACK_OF(reason)                                                         \
    if (::lockkeeper::testing_model::is_in_ci()) {                                       \
        FAIL() << (reason) << " (CI is set: what is missing fails, and is not skipped)"; \
    } else                                                                               \
        GTEST_SKIP() << (reason)

#define NEEDS_TOOL(name)                                                           \
    if (!::lockkeeper::testing_model::has_tool(name)) {                            \
        SKIP_FOR_LACK_OF(std::string(name) + " is not installed on this machine"); \
    }                                                                              \
    static_assert(true)
