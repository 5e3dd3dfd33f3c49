// SPDX-License-Identifier: Apache-2.0

// A system whose runs differ much in length, for tests of those who make runs at the same time.
// Nothing else includes it.
#pragma once

#include <cstdint>
#include <string>

#include "model/schedule.hpp"
#include "model/system.hpp"

namespace lockkeeper::testing_scheduler {

// Up nine steps, where one party may throw all back, and another one goes up and down.
struct Climb {
    struct State {
        std::uint32_t height = 0;
        std::uint32_t falls = 0;
    };
    static constexpr std::uint32_t kTop = 9;
    static constexpr std::uint32_t kFallsMax = 30;

    State initial() const { return {}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        if (state.height == kTop) {
            return;
        }
        out.add({0, ActionKind::kStep, 0});
        if (state.falls < kFallsMax) {
            out.add({1, ActionKind::kStep, 0});
        }
        out.add({2, ActionKind::kStep, 0});
    }
    Event apply(State& state, Action action) const {
        if (action.actor == 1) {
            state.height = 0;
            ++state.falls;
        } else if (action.actor == 0 || state.height % 2 == 0) {
            ++state.height;
        } else {
            --state.height;
            state.falls += state.falls < kFallsMax ? 1U : 0U;
        }
        return {};
    }
    void observe(const State&, Observation& out) const { out = Observation{}; }
    bool quiescent(const State&) const { return false; }
    bool finished(const State& state) const { return state.height == kTop; }
    std::string describe(const State&, Action action) const { return to_text(action); }
    std::string show(const State& state) const { return std::to_string(state.height); }
};

}  // namespace lockkeeper::testing_scheduler
