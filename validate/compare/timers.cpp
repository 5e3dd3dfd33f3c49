// SPDX-License-Identifier: Apache-2.0
#include "validate/compare/timers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/check.hpp"
#include "scheduler/base/random.hpp"
#include "validate/compare/answers.hpp"

namespace lockkeeper::against {
namespace {

constexpr std::uint64_t kWalks = 32;
constexpr int kWalkStepsMax = 200;
constexpr int kCallStepsMax = 1'000;

using State = ErasedSystem::State;

class Walk {
  public:
    Walk(const ErasedSystem& system, std::uint64_t seed)
        : system_(system), random_(seed), state_(system.initial()) {}

    Timers run() {
        Timers found;
        for (int step = 0; step < kWalkStepsMax; ++step) {
            ActionList list;
            system_.enabled(state_, list);
            std::vector<Action> possible(list.begin(), list.end());
            found.has_time =
                found.has_time || std::any_of(possible.begin(), possible.end(), [](Action action) {
                    return action.kind == ActionKind::kTime;
                });
            found.acts_alone = found.acts_alone || background_decides(possible);
            std::erase_if(possible, [](Action action) {
                return !is_step(action) && action.kind != ActionKind::kTime;
            });
            if (possible.empty()) {
                break;
            }
            system_.apply(state_,
                          possible[random_.below(static_cast<std::uint32_t>(possible.size()))]);
        }
        return found;
    }

  private:
    [[nodiscard]] bool nobody_calls() const {
        Observation seen{};
        system_.observe(state_, seen);
        return std::none_of(seen.callers.begin(), seen.callers.begin() + seen.callers_count,
                            [](const auto& caller) { return caller.calling; });
    }

    // The answer to a whole call; the background helps where the call waits for it.
    [[nodiscard]] std::string answer_to(State state, std::uint8_t caller) const {
        for (int i = 0; i < kCallStepsMax; ++i) {
            Event event;
            if (!step_if_enabled(system_, state, caller, event)) {
                if (!step_background(system_, state)) {
                    return "waits";
                }
            } else if ((event.what & kReturns) != 0) {
                return answer_of(system_, event, true).text;
            }
        }
        return "goes on";
    }

    [[nodiscard]] bool background_decides(const std::vector<Action>& possible) const {
        if (background_of(system_, state_).empty() || !nobody_calls()) {
            return false;
        }
        State after = state_;
        for (int i = 0; step_background(system_, after); ++i) {
            if (i == kCallStepsMax) {
                return true;  // never quiet: no whole call ends there
            }
        }
        return std::any_of(possible.begin(), possible.end(), [&](Action action) {
            return action.kind == ActionKind::kStep &&
                   answer_to(state_, action.actor) != answer_to(after, action.actor);
        });
    }

    const ErasedSystem& system_;
    Random random_;
    State state_;
};

}  // namespace

Timers timers_of(const ErasedSystem& system) {
    Timers found;
    try {
        for (std::uint64_t seed = 0; seed < kWalks; ++seed) {
            const Timers one = Walk(system, seed).run();
            found.has_time = found.has_time || one.has_time;
            found.acts_alone = found.acts_alone || one.acts_alone;
        }
    } catch (const LimitExceeded&) {  // as far as it has room
    }
    return found;
}

}  // namespace lockkeeper::against
