// SPDX-License-Identifier: Apache-2.0

// A program that says `stateless` keeps nothing on which its decisions depend, so what the harness
// knows of a run decides how it goes on. Where two runs came to the same, the search went on from
// one of them only. Here a sample of such pairs is gone on from in both.
#include <algorithm>

#include <fmt/format.h>

#include "validate/outside/random_steps.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {
namespace {

using Actions = std::vector<Action>;

constexpr std::size_t kStepsOfPromise = 200;
constexpr std::uint64_t kGoneOnWith = 8;  // ways, of each pair

}  // namespace

// Returns after each step what the harness knows and which actions are possible. `is_first` appends
// the steps to `rest`; else `rest` gives them. Ends with an empty text if the program misbehaves.
std::vector<std::string> OutsideSearch::futures(const Actions& path, Actions& rest,
                                                std::uint64_t number, bool is_first) {
    std::vector<std::string> seen;
    try {
        source_.begin();
        for (const Action action : path) {
            source_.take(action);
        }
        Random random(options_.seed + number * kGoldenRatio);
        for (std::size_t i = 0;; ++i) {
            const Actions enabled = source_.enabled();
            seen.push_back(source_.key());
            for (const Action action : enabled) {
                seen.back() += to_text(action);
            }
            if (enabled.empty() || !source_.violated().empty() || i == kStepsOfPromise) {
                break;
            }
            if (is_first) {
                // Equally likely: a party that continues what it began seldom meets another.
                rest.push_back(enabled[random.below(static_cast<std::uint32_t>(enabled.size()))]);
            } else if (i == rest.size() || !contains(enabled, rest[i])) {
                break;
            }
            source_.take(rest[i]);
        }
    } catch (const Misbehaved&) {
        source_.give_up();
        seen.emplace_back();
    }
    (void)source_.take_tally();  // these runs are not of the search
    return seen;
}

std::string OutsideSearch::difference_after(const KnownStates::MetAgain& met,
                                            std::uint64_t number) {
    Actions rest;
    const std::vector<std::string> first = futures(met.first, rest, number, true);
    const std::vector<std::string> then = futures(met.then, rest, number, false);
    const auto differ = std::mismatch(first.begin(), first.end(), then.begin(), then.end());
    if (differ.first == first.end() && differ.second == then.end()) {
        return "";
    }
    const auto step = static_cast<std::size_t>(differ.first - first.begin());
    rest.resize(std::min(step, rest.size()));
    const auto line_of = [&](Actions path) {
        path.insert(path.end(), rest.begin(), rest.end());
        return to_line({options_.seed, path});
    };
    return fmt::format(
        "it says \"stateless\", and keeps something on which its steps depend: two runs came to "
        "the same, and {} steps later they differ: --replay-choices '{}' and --replay-choices '{}'",
        step, line_of(met.first), line_of(met.then));
}

std::string OutsideSearch::broken_promise() {
    try {
        for (const KnownStates::MetAgain& met : known_.met_again()) {
            for (std::uint64_t number = 0; number < kGoneOnWith; ++number) {
                if (seconds() >= options_.seconds_max || is_interrupted()) {
                    return "";
                }
                if (std::string difference = difference_after(met, number); !difference.empty()) {
                    return difference;
                }
            }
        }
    } catch (const Stopped&) {
        source_.give_up();
    }
    return "";
}

}  // namespace lockkeeper
