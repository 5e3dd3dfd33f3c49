// SPDX-License-Identifier: Apache-2.0

// How often each fault may still happen, as numbers side by side, and how long time lasts: what a
// state with more left can do is at least what the same state with less left can do
// (scheduler/states/tail_order.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/check.hpp"

namespace lockkeeper {

struct FaultsLeft {
    static constexpr std::size_t kMost = 40;
    std::array<std::uint8_t, kMost> counts{};
    std::uint8_t size = 0;
    std::uint16_t time = 0;  // when it ends, of states that call now the same; 0: it is not told

    void add(std::uint8_t count) {
        LOCKKEEPER_CHECK(size < kMost);
        counts[size++] = count;
    }
    // A struct of bytes, each of which is one count, or two: a half of the byte each.
    template <class Budgets>
    void add_halves_of(const Budgets& budgets) {
        static_assert(std::has_unique_object_representations_v<Budgets>);
        std::array<std::uint8_t, sizeof(Budgets)> bytes;
        std::memcpy(bytes.data(), &budgets, sizeof(Budgets));
        for (const std::uint8_t byte : bytes) {
            add(byte & 15U);
            add(byte >> 4U);
        }
    }

    // Both of the same system. Without branches: asked for every look into a table.
    [[nodiscard]] bool is_at_least(const FaultsLeft& other) const {
        unsigned less = time < other.time ? 1U : 0U;
        for (std::size_t i = 0; i < kMost; ++i) {
            less |= counts[i] < other.counts[i] ? 1U : 0U;
        }
        return less == 0;
    }
    friend bool operator==(const FaultsLeft&, const FaultsLeft&) = default;
};

}  // namespace lockkeeper
