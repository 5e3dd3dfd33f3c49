// SPDX-License-Identifier: Apache-2.0

// Reads and clears the faults that a state of a World has left: crashes, restarts, and the budgets
// of its implementation (Traits::faults_left); in relative time also the time that is left
// (Traits::time_left). Part of World, for the hints of the same names.
#pragma once

#include <utility>

#include "model/faults_left.hpp"
#include "model/world_state.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldFaultsLeft {
    using Shared = typename I::Shared;
    using State = typename WorldState<I>::State;
    static constexpr bool kHasBudgets = kTraitsOf<I>.faults_left;
    static constexpr bool kHasTime = kTraitsOf<I>.time_left;

  public:
    explicit WorldFaultsLeft(const WorldState<I>& world) : world_(world) {}

    // The budgets are the last bytes of Shared, and count as part of the rest.
    [[nodiscard]] static constexpr std::size_t bytes_of_budgets() {
        std::size_t bytes = kHasTime ? sizeof(EndOfTime) : 0;
        if constexpr (kHasBudgets) {
            bytes += sizeof(I::left(std::declval<Shared&>()));
        }
        return bytes;
    }
    static void check_their_place() {
        const Shared shared{};
        const auto* end = reinterpret_cast<const std::byte*>(&shared + 1);
        const auto check_before_end = [&end](const auto& part) {
            LOCKKEEPER_CHECK(reinterpret_cast<const std::byte*>(&part + 1) == end);
            end = reinterpret_cast<const std::byte*>(&part);
        };
        if constexpr (kHasBudgets) {
            check_before_end(I::left(shared));
        }
        if constexpr (kHasTime) {
            check_before_end(I::end_of(shared));
        }
    }

    [[nodiscard]] bool exist() const {
        return kHasBudgets || world_.config().crashes_max > 0 || world_.config().restarts_max > 0;
    }
    void add_to(FaultsLeft& out, const State& state) const {
        out.add(static_cast<std::uint8_t>(world_.config().crashes_max - state.crashes));
        out.add(static_cast<std::uint8_t>(world_.config().restarts_max - world_.restarts(state)));
        if constexpr (kHasBudgets) {
            out.add_halves_of(I::left(state.shared));
        }
        if constexpr (kHasTime) {
            out.time = I::end_of(state.shared).instant();
        }
    }
    void forget(State& state) const {
        state.crashes = 0;
        if (world_.config().restarts_max > 0) {
            state.signals.back() = 0;
        }
        if constexpr (kHasBudgets) {
            I::left(state.shared) = {};
        }
        if constexpr (kHasTime) {
            I::end_of(state.shared) = {};
        }
    }

  private:
    const WorldState<I>& world_;
};

}  // namespace lockkeeper
