// SPDX-License-Identifier: Apache-2.0

// Strategies for drawn schedules of outside code: each chooses the steps of one, as the strategies
// of models do (scheduler/runs/strategy.hpp), and may stand around another one. Used by the
// searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "model/action.hpp"
#include "model/action_class.hpp"
#include "scheduler/base/random.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper {

// Keeps the numbers of schedules apart.
inline constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ULL;

class DrawnSteps {
  public:
    virtual ~DrawnSteps() = default;

    virtual void begin() {}  // the source has begun
    // One of `enabled`, faults last.
    [[nodiscard]] virtual Action choose(const std::vector<Action>& enabled) = 0;
    virtual void took(Action /*action*/, const OutsideStep& /*step*/) {}
    // Nothing can come after the last step, or something could.
    virtual void end(bool /*is_whole*/) {}
};

// At random, by seed and number of the schedule. Every other one meets faults seldom, and every
// other pair of them releases late, so that many hold and others wait; how readily operations are
// interrupted differs.
class RandomSteps final : public DrawnSteps {
  public:
    RandomSteps(std::uint64_t seed, std::uint64_t number, Source& source)
        : source_(source),
          random_(seed + number * kGoldenRatio),
          rare_faults_(number % 2 == 0),
          late_releases_(number % 4 >= 2),
          keeps_(random_.below(8)) {}

    Action choose(const std::vector<Action>& enabled) override {
        std::vector<Action> offered = enabled;
        const auto faults = std::find_if(offered.begin(), offered.end(), is_fault);
        if (rare_faults_ && faults != offered.begin() && random_.below(8) != 0) {
            offered.erase(faults, offered.end());
        }
        if (late_releases_ && random_.below(8) != 0) {
            leave_out_releases(offered);
        }
        Action action = offered[random_.below(static_cast<std::uint32_t>(offered.size()))];
        const auto goes_on = std::find_if(offered.begin(), offered.end(), [&](Action other) {
            return last_ && source_.same_party(*last_, other);
        });
        if (goes_on != offered.end() && random_.below(8) < keeps_) {
            action = *goes_on;
        }
        last_ = is_step(action) ? std::optional(action) : last_;
        return action;
    }

  private:
    // Where somebody can go on without them.
    void leave_out_releases(std::vector<Action>& offered) {
        std::vector<Action> others;
        std::copy_if(offered.begin(), offered.end(), std::back_inserter(others), [&](Action each) {
            return source_.class_of(each) != ActionClass::kDeparture;
        });
        if (std::any_of(others.begin(), others.end(), [](Action each) {
                return !is_fault(each) && each.kind != ActionKind::kTime;
            })) {
            offered = std::move(others);
        }
    }

    Source& source_;
    Random random_;
    bool rare_faults_ = false;
    bool late_releases_ = false;
    std::uint32_t keeps_ = 0;
    std::optional<Action> last_;
};

}  // namespace lockkeeper
