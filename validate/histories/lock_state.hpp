// SPDX-License-Identifier: Apache-2.0

// The state of every sequential model: a plain value. Models use what they need of it; the rest is
// zero, so equal states have equal bytes.
//
// Only the first `state_bytes` of the model are stored by the search: numbers first, then the holds
// that can be in use at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lockkeeper {

inline constexpr std::size_t kHoldsMax = 64;

// One owner holds in one mode; sorted by (owner, mode).
struct Hold {
    std::int64_t number = 0;  // lease: when it ends; others: its token; below 0: not known yet
    std::uint32_t owner = 0;
    std::uint16_t count = 0;
    std::uint8_t mode = 0;
    std::uint8_t unused = 0;
};

struct LockState {
    std::int64_t units = 0;  // held, at most; lease: the time of the last operation
    // Held, at least: an exit may have given back or not; lease: the latest moment at which the
    // lease can have been granted.
    std::int64_t units_least = 0;
    std::int64_t next_token = 0;     // the least that the next grant may have: tokens begin with 0
    std::int64_t top_write = 0;      // one more than the highest token whose effect was taken
    std::int64_t tokens_unsaid = 0;  // see models/tokens.hpp
    std::int64_t lease_length = 0;   // lease, where refusals are judged
    std::int64_t holds_count = 0;    // entries in use
    std::array<Hold, kHoldsMax> holds{};

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(holds_count); }

    // Position of the entry, or where it would stand.
    [[nodiscard]] std::size_t place_of(std::uint32_t owner, std::uint8_t mode) const {
        std::size_t i = 0;
        while (i < count() &&
               (holds[i].owner < owner || (holds[i].owner == owner && holds[i].mode < mode))) {
            ++i;
        }
        return i;
    }
    [[nodiscard]] bool has(std::size_t place, std::uint32_t owner, std::uint8_t mode) const {
        return place < count() && holds[place].owner == owner && holds[place].mode == mode;
    }
    // False: no room.
    bool insert(std::size_t place, const Hold& hold) {
        if (count() == kHoldsMax) {
            return false;
        }
        for (std::size_t i = count(); i > place; --i) {
            holds[i] = holds[i - 1];
        }
        holds[place] = hold;
        ++holds_count;
        return true;
    }
    void erase(std::size_t place) {
        for (std::size_t i = place; i + 1 < count(); ++i) {
            holds[i] = holds[i + 1];
        }
        --holds_count;
        holds[count()] = Hold{};
    }
};
static_assert(std::is_trivially_copyable_v<LockState>);
static_assert(std::has_unique_object_representations_v<LockState>);

inline constexpr std::size_t kStateNumbersBytes = offsetof(LockState, holds);

}  // namespace lockkeeper
