// SPDX-License-Identifier: Apache-2.0

// The promise of a rate limiter, which P31 (over-rate) and P32 (under-rate) judge. Times are whole
// numbers of a unit that the owner of the limit knows.
#pragma once

#include <cstdint>

namespace lockkeeper {

struct RateLimit {
    std::uint32_t grants = 0;  // within a window; 0: there is no limit
    std::int64_t within = 0;   // the length of a window
    // The most grants in any window of that length, wherever it begins; 0: as `grants`. Larger
    // where the limiter counts in windows of its own, or saves grants up.
    std::uint32_t burst = 0;
    // Fewer grants in the last window do not justify a refusal. 1: a caller that asks a whole
    // window after the last grant is granted.
    std::uint32_t at_least = 1;

    [[nodiscard]] constexpr bool is_given() const { return grants > 0; }
    [[nodiscard]] constexpr std::uint32_t most() const { return burst == 0 ? grants : burst; }

    friend constexpr bool operator==(const RateLimit&, const RateLimit&) = default;
};

}  // namespace lockkeeper
