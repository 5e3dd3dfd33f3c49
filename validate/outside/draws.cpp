// SPDX-License-Identifier: Apache-2.0

// The schedules that are drawn. Three kinds in turn:
//   random  every step is as likely as another one; how readily callers are interrupted differs
//   feedback  the same, among the steps that no such run has taken there, or that may lead to one
//   pct     the caller with the highest priority goes on; priorities are drawn, and at a few drawn
//           steps the caller that is about to go on becomes the last one. A bug that needs few such
//           decisions is found however long the rest of the run is. Faults come at drawn steps.
#include <algorithm>
#include <iterator>

#include "scheduler/base/random.hpp"
#include "scheduler/runs/strategy.hpp"
#include "validate/outside/random_steps.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kPctSeeds = 0xD1B54A32D192ED03ULL;  // others than those of random ones
constexpr std::uint32_t kPctDepths[] = {2, 3, 4, 5};        // decisions, the first one included
constexpr std::uint32_t kPctFaultsMax = 3;

// The action is nobody's next step, but may happen instead of one at a moment of its own.
bool is_chance(Action action) {
    return (is_fault(action) && !is_restart(action)) || action.kind == ActionKind::kTime;
}

Action drawn(Random& random, const std::vector<Action>& actions) {
    return actions[random.below(static_cast<std::uint32_t>(actions.size()))];
}

}  // namespace

void OutsideSearch::draw() {
    for (std::uint64_t number = 0; !should_stop(); ++number) {
        const Drawn kind = options_.only.value_or(kDrawn[number % std::size(kDrawn)]);
        const std::uint64_t of_kind = options_.only ? number : number / std::size(kDrawn);
        found_by_ = name_of(kind);
        switch (kind) {
            case Drawn::kRandom: run_random(of_kind, nullptr); break;
            case Drawn::kByFeedback: run_random(of_kind, &seen_places_); break;
            case Drawn::kPct: run_pct(of_kind); break;
        }
        longest_ = std::max(longest_, static_cast<std::uint32_t>(actions_.size()));
    }
}

// `seen`: null, or the places of the runs so far, which this one is led away from.
void OutsideSearch::run_random(std::uint64_t number, SeenPlaces* seen) {
    RandomSteps steps(options_.seed, number);
    PastOfParties past;
    bool is_whole = false;
    const auto same_party = [&](Action left, Action right) {
        return source_.same_party(left, right);
    };
    guarded([&] {
        const bool has_key = source_.knows_states();
        const auto place = [&] { return has_key ? place_of(source_.key()) : past.fingerprint(); };
        if (seen != nullptr) {
            seen->begin(place());
        }
        for (std::size_t depth = 0;; ++depth) {
            std::vector<Action> enabled = source_.enabled();
            if (is_over(depth, enabled) == AtEnd::kYes) {
                is_whole = enabled.empty() || !source_.violated().empty();
                return;
            }
            enabled = seen != nullptr ? seen->offered(enabled) : std::move(enabled);
            const Action action = steps.choose(std::move(enabled), same_party);
            const OutsideStep step = take(action);
            if (seen != nullptr) {
                if (!has_key) {
                    past.add(action, step);
                }
                seen->took(action, place());
            }
        }
    });
    if (seen != nullptr) {
        seen->end(is_whole);
    }
}

void OutsideSearch::run_pct(std::uint64_t number) {
    Random random((options_.seed ^ kPctSeeds) + number * kGoldenRatio);
    PctStrategy priorities(kPctDepths[random.below(std::size(kPctDepths))], longest_);
    priorities.begin(random.next());
    std::vector<std::uint32_t> moments(random.below(kPctFaultsMax + 1));
    for (std::uint32_t& moment : moments) {
        moment = random.below(longest_);
    }
    guarded([&] {
        for (std::size_t depth = 0;; ++depth) {
            const std::vector<Action> enabled = source_.enabled();
            if (is_over(depth, enabled) == AtEnd::kYes) {
                return;
            }
            std::vector<Action> chances;
            ActionList steps;
            for (const Action action : enabled) {
                if (is_chance(action)) {
                    chances.push_back(action);
                } else if (steps.size() < ActionList::kCapacity) {
                    steps.add(action);
                }
            }
            // A drawn moment at which no fault is possible is kept until one is.
            const auto moment = std::find_if(moments.begin(), moments.end(),
                                             [&](std::uint32_t at) { return at <= depth; });
            const bool happens = !chances.empty() && (steps.empty() || moment != moments.end());
            if (happens && moment != moments.end()) {
                moments.erase(moment);
            }
            static_cast<void>(
                take(happens ? drawn(random, chances) : steps[priorities.choose(steps)]));
        }
    });
}

}  // namespace lockkeeper
