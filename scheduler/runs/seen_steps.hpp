// SPDX-License-Identifier: Apache-2.0

// Remembers what the runs of `fuzz` have seen until now, as fingerprints: which steps were taken in
// which state, and how often; which states runs went on from; and which states have nothing new
// behind them, because every step from them has been taken and leads to such a state, or to an end.
// Where two states share a fingerprint, a run may go where others have been: a worse choice, never
// a wrong verdict.
//
// Reading is safe from several threads while nobody adds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scheduler/states/key_map.hpp"

namespace lockkeeper {

// One run, for those that come after it.
struct RunSteps {
    // With more keys of possible steps, later places do not say what was possible there.
    static constexpr std::size_t kKeysMost = 65'536;
    // Later runs are told at most so many steps of this run.
    static constexpr std::size_t kStepsMost = 16'384;

    // A state that the run was in, and what was possible there: `count` of `keys`, from `first` on.
    struct Place {
        std::uint64_t state = 0;
        std::uint32_t first = 0;
        std::uint32_t count = 0;  // 0: unknown
    };
    struct Step {
        Place place;
        std::uint64_t key = 0;  // of the state and the step together
    };
    std::vector<std::uint64_t> keys;
    std::vector<Step> taken;    // the first kStepsMost
    std::vector<Step> used_up;  // looked at, nothing new behind them; no more either
    // Nothing can come behind the last step: it breaks a property, or leads to `last_state` (not
    // 0), where every run ends.
    bool ends = false;
    std::uint64_t last_state = 0;

    void clear() {
        keys.clear();
        taken.clear();
        used_up.clear();
        ends = false;
        last_state = 0;
    }
};

class SeenSteps {
  public:
    // A fuller table gets nothing more: it has 64 MiB then.
    static constexpr std::size_t kMost = std::size_t{1} << 21U;

    // How often a step was taken, or runs went on from a state.
    [[nodiscard]] std::uint32_t times(std::uint64_t key) const {
        const Known* known = known_.find(key);
        return known != nullptr ? known->times : 0;
    }
    // True for a step or a state that has nothing new behind it.
    [[nodiscard]] bool is_used_up(std::uint64_t key) const {
        const Known* known = known_.find(key);
        return known != nullptr && known->is_used_up;
    }
    [[nodiscard]] std::size_t size() const { return known_.size(); }

    // Goes from the last step to the first: what is behind a step is known before the step.
    void add(const RunSteps& run) {
        for (const RunSteps::Step& step : run.used_up) {
            use_up(run, step);
        }
        if (run.last_state != 0) {
            use_up(run.last_state);
        }
        bool is_used_up_behind = run.ends;
        for (auto step = run.taken.rbegin(); step != run.taken.rend(); ++step) {
            for (const std::uint64_t key : {step->key, step->place.state}) {
                if (Known* known = known_of(key)) {
                    ++known->times;
                }
            }
            if (is_used_up_behind) {
                use_up(run, *step);
            }
            is_used_up_behind = is_used_up(step->place.state);
        }
    }

  private:
    struct Known {
        std::uint32_t times = 0;
        bool is_used_up = false;
    };

    // nullptr: it is new, and there is no room.
    Known* known_of(std::uint64_t key) {
        if (known_.find(key) == nullptr) {
            if (known_.size() >= kMost) {
                return nullptr;
            }
            known_.add(key, {});
        }
        return known_.find(key);
    }
    void use_up(std::uint64_t key) {
        if (Known* known = known_of(key)) {
            known->is_used_up = true;
        }
    }
    // The state, too, when it was the last one there. Asked of what this run saw there: callers
    // that changed names may have given other keys to what another run saw.
    void use_up(const RunSteps& run, const RunSteps::Step& step) {
        use_up(step.key);
        const auto first = run.keys.begin() + step.place.first;
        if (step.place.count > 0 &&
            std::all_of(first, first + step.place.count,
                        [&](std::uint64_t key) { return is_used_up(key); })) {
            use_up(step.place.state);
        }
    }

    KeyMap<Known> known_;
};

}  // namespace lockkeeper
