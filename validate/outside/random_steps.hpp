// SPDX-License-Identifier: Apache-2.0

// The steps of one schedule of outside code, drawn at random by seed and number. Every other
// schedule meets faults seldom; how readily operations are interrupted differs. Used by the
// searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/action.hpp"
#include "scheduler/base/random.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper {

// Keeps the numbers of schedules apart.
inline constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ULL;

class RandomSteps {
  public:
    RandomSteps(std::uint64_t seed, std::uint64_t number)
        : random_(seed + number * kGoldenRatio),
          rare_faults_(number % 2 == 0),
          keeps_(random_.below(8)) {}

    // Chooses one of `enabled`, faults last. `same_party(left, right)`: right continues left.
    template <class SameParty>
    [[nodiscard]] Action choose(std::vector<Action> enabled, const SameParty& same_party) {
        const auto faults = std::find_if(enabled.begin(), enabled.end(), is_fault);
        if (rare_faults_ && faults != enabled.begin() && random_.below(8) != 0) {
            enabled.erase(faults, enabled.end());
        }
        Action action = enabled[random_.below(static_cast<std::uint32_t>(enabled.size()))];
        const auto goes_on = std::find_if(enabled.begin(), enabled.end(), [&](Action other) {
            return last_ && same_party(*last_, other);
        });
        if (goes_on != enabled.end() && random_.below(8) < keeps_) {
            action = *goes_on;
        }
        last_ = is_step(action) ? std::optional(action) : last_;
        return action;
    }

  private:
    Random random_;
    bool rare_faults_ = false;
    std::uint32_t keeps_ = 0;
    std::optional<Action> last_;
};

}  // namespace lockkeeper
