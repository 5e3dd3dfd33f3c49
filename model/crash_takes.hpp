// SPDX-License-Identifier: Apache-2.0

// Names what a process takes with it when it crashes, beside the calls under way in it. A scenario
// or an outside program (docs/reference/protocol.md) says it; the searches of outside programs ask
// for it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockkeeper {

enum class CrashTakes : std::uint8_t {
    kLocks,    // its callers, and the locks that they held: those are free again
    kCallers,  // its callers; their locks stay taken for as long as nobody clears them away
    kNothing,  // the callers live elsewhere, and still believe to hold what they held
};

// The parameter of a scenario: the number of one of the words.
inline constexpr std::string_view kCrashTakesName = "crash_takes";
inline constexpr std::array<std::string_view, 3> kCrashTakesWords{"locks", "callers", "nothing"};

}  // namespace lockkeeper
