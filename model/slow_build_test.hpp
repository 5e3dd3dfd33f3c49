// SPDX-License-Identifier: Apache-2.0

// How slow this build is, for tests that scale down what they look at. Sanitizers and unoptimised
// builds are five to thirty times slower.
#pragma once

#include <cstdlib>

namespace lockkeeper::testing_model {

#ifdef LOCKKEEPER_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#ifdef NDEBUG  // tests themselves are compiled without optimisation, what they search with is not
inline constexpr bool kIsSlowBuild = kIsSanitized;
#else
inline constexpr bool kIsSlowBuild = true;
#endif

// Everyday runs search real clients and programs in small scopes, and draw fewer random cases;
// `make test-long` does the whole.
[[nodiscard]] inline bool is_short_run() {
    return kIsSlowBuild || std::getenv("LOCKKEEPER_LONG") == nullptr;
}

// Returns a tenth of the random cases under sanitizers; the optimised `make test` runs all.
[[nodiscard]] constexpr int random_cases(int all) { return kIsSanitized ? all / 10 : all; }

}  // namespace lockkeeper::testing_model
