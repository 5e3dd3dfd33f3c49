// SPDX-License-Identifier: Apache-2.0

// The fates of a message that systems put into their budgets of faults: lost, sent again, delivered
// twice, late. A system names its faults in an enum with kNone; its Budgets say how often each may
// still happen, and have `Fault` and `spend(fault)`.
#pragma once

#include <cstdint>

#include "model/operation.hpp"

namespace lockkeeper {

// Returns the bit that `fault` has in the result of faults_of(), or 0.
template <class Fault>
[[nodiscard]] constexpr std::uint32_t fault_bit(Fault fault, bool is_possible) {
    return is_possible ? 1U << static_cast<unsigned>(fault) : 0U;
}

// Returns the fault that this step meets, and spends its budget.
template <class Budgets>
[[nodiscard]] typename Budgets::Fault met(Budgets& left, const Operation& operation) {
    const auto fault = static_cast<typename Budgets::Fault>(operation.fault);
    if (fault != Budgets::Fault::kNone) {
        left.spend(fault);
    }
    return fault;
}

// How often a message may still be sent again because its answer was lost, and how often delivered
// twice. A half of the byte each.
struct Copies {
    static constexpr std::uint8_t kOneDuplicate = 16;
    std::uint8_t halves;

    [[nodiscard]] static constexpr Copies of(int resends, int duplicates) {
        return {static_cast<std::uint8_t>(resends + kOneDuplicate * duplicates)};
    }
    [[nodiscard]] std::uint8_t resends() const { return halves % kOneDuplicate; }
    [[nodiscard]] std::uint8_t duplicates() const { return halves / kOneDuplicate; }
    void spend_duplicate() { halves = static_cast<std::uint8_t>(halves - kOneDuplicate); }
};

}  // namespace lockkeeper
