#include "validate/compare/timers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/check.hpp"
#include "scheduler/runs/random.hpp"
#include "validate/compare/answers.hpp"

namespace lockkeeper::against {
namespace {

constexpr std::uint64_t kWalks = 32;
constexpr int kWalkStepsMax = 200;
constexpr int kCallStepsMax = 1'000;

using State = ErasedSystem::State;

bool is_background(Action action) { return action.kind == ActionKind::kBackground; }

class Walk {
  public:
    Walk(const ErasedSystem& system, std::uint64_t seed)
        : system_(system), random_(seed), state_(system.initial()) {}

    Timers run() {
        Timers found;
        for (int step = 0; step < kWalkStepsMax; ++step) {
            std::vector<Action> possible = enabled(state_);
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
    [[nodiscard]] std::vector<Action> enabled(const State& state) const {
        ActionList list;
        system_.enabled(state, list);
        return {list.begin(), list.end()};
    }

    bool step_background(State& state) const {
        const std::vector<Action> possible = enabled(state);
        const auto found = std::find_if(possible.begin(), possible.end(), is_background);
        if (found == possible.end()) {
            return false;
        }
        system_.apply(state, *found);
        return true;
    }

    [[nodiscard]] bool nobody_calls() const {
        Observation seen{};
        system_.observe(state_, seen);
        return std::none_of(seen.callers.begin(), seen.callers.begin() + seen.callers_count,
                            [](const auto& caller) { return caller.calling; });
    }

    // Of the whole call; the background helps where the call waits for it.
    [[nodiscard]] std::string answer_to(State state, std::uint8_t caller) const {
        const Action step{caller, ActionKind::kStep, 0};
        for (int i = 0; i < kCallStepsMax; ++i) {
            const std::vector<Action> possible = enabled(state);
            if (std::find(possible.begin(), possible.end(), step) == possible.end()) {
                if (!step_background(state)) {
                    return "waits";
                }
                continue;
            }
            const Event event = system_.apply(state, step);
            if ((event.what & kReturns) != 0) {
                return answer_of(system_, event, true).text;
            }
        }
        return "goes on";
    }

    [[nodiscard]] bool background_decides(const std::vector<Action>& possible) const {
        if (std::none_of(possible.begin(), possible.end(), is_background) || !nobody_calls()) {
            return false;
        }
        State after = state_;
        for (int i = 0; step_background(after); ++i) {
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
