// SPDX-License-Identifier: Apache-2.0

// What is left of the faults in a state of a World: crashes, restarts, and the budgets of its
// implementation (Traits::faults_left). Part of World, for the hint of the same name.
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

  public:
    explicit WorldFaultsLeft(const WorldState<I>& world) : world_(world) {}

    // They are the last bytes of Shared, and count as part of the rest.
    [[nodiscard]] static constexpr std::size_t bytes_of_budgets() {
        if constexpr (kHasBudgets) {
            return sizeof(I::left(std::declval<Shared&>()));
        } else {
            return 0;
        }
    }
    static void check_their_place() {
        if constexpr (kHasBudgets) {
            const Shared shared{};
            const auto* const end = reinterpret_cast<const std::byte*>(&shared + 1);
            LOCKKEEPER_CHECK(reinterpret_cast<const std::byte*>(&I::left(shared) + 1) == end);
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
    }
    void forget(State& state) const {
        state.crashes = 0;
        if (world_.config().restarts_max > 0) {
            state.signals.back() = 0;
        }
        if constexpr (kHasBudgets) {
            I::left(state.shared) = {};
        }
    }

  private:
    const WorldState<I>& world_;
};

}  // namespace lockkeeper
