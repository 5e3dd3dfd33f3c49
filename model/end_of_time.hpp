// SPDX-License-Identifier: Apache-2.0

// The end of virtual time for a state in relative time, which carries how much time is left. It is
// bytes, not an Instant, so that it can stand beside the budgets of faults, wherever these lie.
#pragma once

#include <array>
#include <cstdint>

#include "model/virtual_time.hpp"

namespace lockkeeper {

struct EndOfTime {
    std::array<std::uint8_t, 2> bytes;

    // 0: as the scenario says, by the clock.
    [[nodiscard]] Instant instant() const {
        return static_cast<Instant>(bytes[0] | static_cast<unsigned>(bytes[1]) << 8U);
    }
    void set(Instant instant) {
        bytes = {static_cast<std::uint8_t>(instant & 255U),
                 static_cast<std::uint8_t>(instant >> 8U)};
    }
};

}  // namespace lockkeeper
