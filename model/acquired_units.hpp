// SPDX-License-Identifier: Apache-2.0

// An acquire may ask for several places of its key at once (a weight), and for several keys at
// once. Clients at the wire are asked for that; models and programs refuse it.
//
// In an Operation that is no signal and no wait, `amount` is the weight, and `signal` has a bit for
// each key, or is 0: its one key. A release has neither: it gives back the whole grant.
//
// Used by: the reader of scripts (scenarios/keys), the ledger and the wire.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/operation.hpp"

namespace lockkeeper {

// For people, of a scenario that is put to somebody else.
inline constexpr const char* kSeveralAtTheWire = "\"with\" and \"weight\" go with validate --wire";

[[nodiscard]] constexpr std::uint8_t key_bit(std::size_t key) {
    return static_cast<std::uint8_t>(1U << key);
}

[[nodiscard]] inline std::uint8_t key_bits(const Operation& operation) {
    return operation.uses_signal() || operation.signal == 0 ? key_bit(operation.key)
                                                            : operation.signal;
}

[[nodiscard]] inline bool is_of_key(const Operation& operation, std::size_t key) {
    return (key_bits(operation) & key_bit(key)) != 0;
}

// Places of each of its keys.
[[nodiscard]] inline std::uint32_t weight_of(const Operation& operation) {
    return operation.uses_signal() ? 1 : operation.amount;
}

[[nodiscard]] inline bool takes_several(const Operation& operation) {
    return !operation.uses_signal() && (operation.amount != 1 || operation.signal != 0);
}

// The places of one key that the operation takes or gives back.
[[nodiscard]] inline std::uint32_t units_of(const Operation& operation, std::size_t key) {
    return is_of_key(operation, key) ? weight_of(operation) : 0;
}

// Calls `with` for each of its keys, in the order of the scenario's keys.
template <class With>
void for_each_key(const Operation& operation, With with) {
    for (std::size_t key = 0; key < 8; ++key) {
        if (is_of_key(operation, key)) {
            with(static_cast<std::uint8_t>(key));
        }
    }
}

}  // namespace lockkeeper
