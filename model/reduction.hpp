// SPDX-License-Identifier: Apache-2.0

// What an exploration leaves out, by choice (docs/understanding/reductions.md). With either, not
// the whole graph of the states is kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockkeeper {

enum class Reduction : std::uint8_t {
    kNone,
    kPrivateSteps,  // steps that concern nobody else are taken at once
    kFaultsLeft,    // of states that differ in how often faults may still happen, only those with
                    // most go on
};
inline constexpr std::array<const char*, 3> kReductionWords{"none", "private-steps", "faults-left"};

[[nodiscard]] constexpr std::string_view word_of(Reduction reduction) {
    return kReductionWords[static_cast<std::size_t>(reduction)];
}

}  // namespace lockkeeper
