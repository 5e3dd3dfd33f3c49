// SPDX-License-Identifier: Apache-2.0

// Where virtual time ends, in a state in relative time: how much of it is left goes with the state.
// Bytes, not an instant: it stands beside what is left of the faults, wherever that is.
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
