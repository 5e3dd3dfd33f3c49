// A System for measuring, whose walks look up the steps that they have learned where that is
// possible. Called where systems are registered.
#pragma once

#include <utility>

#include "model/erased_system.hpp"
#include "scheduler/learned_steps.hpp"

namespace lockkeeper {

template <System S>
[[nodiscard]] ErasedSystem erased_for_walks(S system) {
    if constexpr (LearnedRunsSystem<S>) {
        return ErasedSystem::learning<LearnedSteps<S>>(std::move(system));
    } else {
        return ErasedSystem(std::move(system));
    }
}

}  // namespace lockkeeper
