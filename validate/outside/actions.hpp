// SPDX-License-Identifier: Apache-2.0

// Small questions about actions of runs of outside code.
#pragma once

#include <algorithm>
#include <vector>

#include "model/action.hpp"

namespace lockkeeper {

// The action is a step of somebody's operation, and neither a fault nor a passage of time.
[[nodiscard]] constexpr bool is_step(Action action) {
    return action.kind == ActionKind::kStep || action.kind == ActionKind::kBackground;
}

[[nodiscard]] inline bool contains(const std::vector<Action>& actions, Action action) {
    return std::find(actions.begin(), actions.end(), action) != actions.end();
}

}  // namespace lockkeeper
