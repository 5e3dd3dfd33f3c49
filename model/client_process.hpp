// SPDX-License-Identifier: Apache-2.0

// Events of a client's process beside its calls: it sleeps, the clock of its machine jumps, it
// starts again. Systems with virtual time compose these functions: their Record has `wake`, the
// instant until which the client sleeps, and, where clocks jump, `clock`, the sum of the jumps.
#pragma once

#include <cstdint>
#include <string>

#include "model/implementation.hpp"

namespace lockkeeper {

// Puts the caller to sleep within a call, whose labels must have kAsleep.
template <class Record, class Call>
Outcome sleep_until(Instant instant, Record& record, Call& call) {
    record.wake = instant;
    call.at = decltype(call.at)::kAsleep;
    return Outcome::kContinues;
}
template <class Record>
Outcome wake_up(Record& record) {
    record.wake = 0;
    return Outcome::kDone;
}

// By how much the clock of a client is ahead of the true time.
template <class Client, class Record>
[[nodiscard]] std::int32_t ahead(const Client& client, const Record& record) {
    return client.clock + record.clock;
}
// Adds a jump to how far the clock is ahead. LimitExceeded: the sum does not fit.
inline void jump(std::int16_t& ahead, std::int32_t by) {
    constexpr std::int32_t kMost = 32'767;
    if (ahead + by > kMost || ahead + by < -kMost) {
        throw LimitExceeded("a clock that has jumped by more than " + std::to_string(kMost));
    }
    ahead = static_cast<std::int16_t>(ahead + by);
}

// A fresh process knows nothing of the one before; its machine's clock goes on.
template <class Record>
void start_afresh(Record& record) {
    const std::int16_t clock = record.clock;
    record = {};
    record.clock = clock;
}

}  // namespace lockkeeper
