// SPDX-License-Identifier: Apache-2.0

// Whole operations one after the other. Included by system_runner.hpp only.
#pragma once

#include <vector>

#include "scheduler/system_runner.hpp"

namespace lockkeeper {

template <System S>
Trace SystemRunner<S>::run_in_order(const std::vector<std::size_t>& callers,
                                    const ReplayOptions& options) const {
    Replay<S> replay(system_, options, TraceSubject{&world_, features_});
    ActionList possible;
    const auto step_if_possible = [&](auto wanted) {
        if (replay.is_cut()) {
            return false;
        }
        system_.enabled(replay.state(), possible);
        for (Action action : possible) {
            if (wanted(action)) {
                replay.take(action);
                return true;
            }
        }
        return false;
    };
    const auto background = [&] {
        return step_if_possible([](Action a) { return a.kind == ActionKind::kBackground; });
    };
    // Time passes only for somebody who waits for it.
    const auto time = [&] {
        return step_if_possible([](Action a) { return a.kind == ActionKind::kTime; });
    };
    for (const std::size_t caller : callers) {
        const auto own = [&](Action a) { return a.kind == ActionKind::kStep && a.actor == caller; };
        bool ended = false;
        bool went_on = true;
        while (!ended && went_on) {
            went_on = step_if_possible(own);
            if (went_on) {
                constexpr std::uint32_t kEnds =
                    kAcquired | kRefused | kReleased | kCallerDied | kCrashed | kFailed | kDone;
                const Event& event = replay.trace().steps.back().event;
                ended = (event.what & kEnds) != 0 || event.passed_signal();
            } else {
                went_on = background() || time();  // it waits for a reply, or for a signal
            }
        }
        while (background()) {
        }
    }
    return replay.finish();
}

}  // namespace lockkeeper
