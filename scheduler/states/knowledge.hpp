// SPDX-License-Identifier: Apache-2.0

// Holds what a search has learned of the parts of states and of the steps between them: all workers
// read it and, in turns of one, add to it (expander.hpp).
#pragma once

#include <type_traits>

#include "scheduler/states/step_table.hpp"

namespace lockkeeper {

template <System S>
struct Knowledge {
    Knowledge(const S& system, bool symmetry, bool orders_tails, std::uint32_t visible)
        : codec(system, symmetry, orders_tails), steps(system, symmetry, visible) {}

    [[nodiscard]] std::size_t bytes() const { return codec.bytes() + steps.bytes(); }

    struct NoSteps {
        NoSteps(const S&, bool, std::uint32_t) {}
        [[nodiscard]] static std::size_t bytes() { return 0; }
        template <class Codec>
        void learn_parts(const Codec&) {}
        [[nodiscard]] FootprintKinds& footprints() { return none; }
        FootprintKinds none;
    };
    template <class T>
    static auto table_of() {
        if constexpr (kHintsOf<T>.local_steps) {
            return std::type_identity<StepTable<T>>();
        } else {
            return std::type_identity<NoSteps>();
        }
    }

    StateCodec<S> codec;
    typename decltype(table_of<S>())::type steps;
};

}  // namespace lockkeeper
