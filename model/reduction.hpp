// SPDX-License-Identifier: Apache-2.0

// The reductions of an exploration (docs/understanding/reductions.md): those that a user asks for,
// and those that one search does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockkeeper {

// In scenarios and flags. Each word but `none` has symmetry and sleep sets, too.
enum class AskedReduction : std::uint8_t {
    kAuto,  // what is sound for the properties and the system, once a scope is large
    kNone,
    kSymmetry,
    kPrivateSteps,
    kFaultsLeft,
    kRelativeTime,
    kFaultsLeftAndRelativeTime,
};
inline constexpr std::array<const char*, 7> kAskedReductionWords{"auto",
                                                                 "none",
                                                                 "symmetry",
                                                                 "private-steps",
                                                                 "faults-left",
                                                                 "relative-time",
                                                                 "faults-left+relative-time"};
[[nodiscard]] constexpr std::string_view word_of(AskedReduction asked) {
    return kAskedReductionWords[static_cast<std::size_t>(asked)];
}

// The reduction of one search, beside symmetry and sleep sets. With any but kNone, the search does
// not keep the whole graph of the states.
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

// Returns the reduction that one search does beyond symmetry and sleep sets; kNone: only those.
[[nodiscard]] constexpr Reduction further_of(AskedReduction asked) {
    switch (asked) {
        case AskedReduction::kAuto:
        case AskedReduction::kNone:
        case AskedReduction::kSymmetry: return Reduction::kNone;
        case AskedReduction::kPrivateSteps: return Reduction::kPrivateSteps;
        case AskedReduction::kFaultsLeft: return Reduction::kFaultsLeft;
        case AskedReduction::kRelativeTime: return Reduction::kRelativeTime;
        case AskedReduction::kFaultsLeftAndRelativeTime:
            return Reduction::kFaultsLeftAndRelativeTime;
    }
    return Reduction::kNone;
}
// True: the first schedule that the search finds to a step is a shortest one.
[[nodiscard]] constexpr bool keeps_lengths(Reduction reduction) {
    return reduction != Reduction::kPrivateSteps;
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

// All that one search does.
struct Reductions {
    bool symmetry = false;
    bool sleep_sets = false;
    Reduction further = Reduction::kNone;
};

}  // namespace lockkeeper
