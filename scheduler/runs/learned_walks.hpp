// SPDX-License-Identifier: Apache-2.0

// Walkers that look up the steps that they have learned where the System allows it. Called where
// systems are registered.
#pragma once

#include <memory>
#include <utility>

#include "scheduler/runs/system_walker.hpp"
#include "scheduler/states/learned_steps.hpp"

namespace lockkeeper {

template <System S>
[[nodiscard]] MakeWalker learned_walkers_of(S system) {
    if constexpr (kHintsOf<S>.learned_runs()) {
        return [system = std::move(system)](const Law& law) -> std::unique_ptr<Walker> {
            return std::make_unique<SystemWalker<S, LearnedSteps<S>>>(system, law);
        };
    } else {
        return walkers_of(std::move(system));
    }
}

}  // namespace lockkeeper
