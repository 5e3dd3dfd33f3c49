// SPDX-License-Identifier: Apache-2.0

// What an exploration leaves out, by choice (docs/understanding/reductions.md). With any of them,
// not the whole graph of the states is kept.
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
    kRelativeTime,  // states that differ only in instants and numbers which nobody can tell apart
                    // are one
    kFaultsLeftAndRelativeTime,
};
inline constexpr std::array<const char*, 5> kReductionWords{
    "none", "private-steps", "faults-left", "relative-time", "faults-left+relative-time"};

[[nodiscard]] constexpr std::string_view word_of(Reduction reduction) {
    return kReductionWords[static_cast<std::size_t>(reduction)];
}

[[nodiscard]] constexpr bool is_in_relative_time(Reduction reduction) {
    return reduction == Reduction::kRelativeTime ||
           reduction == Reduction::kFaultsLeftAndRelativeTime;
}
[[nodiscard]] constexpr Reduction without_relative_time(Reduction reduction) {
    switch (reduction) {
        case Reduction::kRelativeTime: return Reduction::kNone;
        case Reduction::kFaultsLeftAndRelativeTime: return Reduction::kFaultsLeft;
        default: return reduction;
    }
}
[[nodiscard]] constexpr Reduction with_relative_time(Reduction reduction) {
    switch (reduction) {
        case Reduction::kNone: return Reduction::kRelativeTime;
        case Reduction::kFaultsLeft: return Reduction::kFaultsLeftAndRelativeTime;
        default: return reduction;
    }
}

}  // namespace lockkeeper
