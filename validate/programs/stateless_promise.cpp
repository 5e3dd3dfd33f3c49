// SPDX-License-Identifier: Apache-2.0

// A program that says `stateless` keeps nothing on which its decisions depend, so what the harness
// knows of a run decides how it goes on. Where two runs came to the same, the search went on from
// one of them only. Here a sample of such pairs is gone on from in both.
#include <algorithm>

#include <fmt/format.h>

#include "validate/programs/random_steps.hpp"
#include "validate/programs/stepped_search.hpp"

namespace lockkeeper {
namespace {

using Actions = std::vector<Action>;

constexpr std::uint64_t kPathBytesMax = std::uint64_t{1} << 24U;
constexpr std::uint64_t kCutsAllTaken = 16;
constexpr std::size_t kStepsOfPromise = 200;

// The first ones, then ever fewer.
bool is_sampled(std::uint64_t cut) { return cut <= kCutsAllTaken || (cut & (cut - 1)) == 0; }

}  // namespace

void SteppedSearch::note_first(const std::string& key) {
    if (path_bytes_ < kPathBytesMax) {
        path_bytes_ += actions_.size() * sizeof(Action) + sizeof(key);
        first_paths_.emplace(std::hash<std::string>{}(key), actions_);
    }
}

void SteppedSearch::note_again(const std::string& key) {
    const auto first = first_paths_.find(std::hash<std::string>{}(key));
    if (first != first_paths_.end() && first->second != actions_ && is_sampled(++cuts_)) {
        met_again_.push_back({first->second, actions_});
    }
}

// What the program is asked and the harness knows after each step; the steps are appended to
// `rest`, or taken from it. Empty, and nothing more: the program misbehaves there.
std::vector<std::string> SteppedSearch::futures(const Actions& path, Actions& rest, bool is_first) {
    std::vector<std::string> seen;
    try {
        run_.begin();
        for (const Action action : path) {
            run_.take(action);
        }
        RandomSteps steps(options_.seed, path.size());  // only the first draws
        for (std::size_t i = 0;; ++i) {
            const Actions enabled = run_.enabled();
            seen.push_back(run_.key());
            for (const Action action : enabled) {
                seen.back() += to_text(action);
            }
            if (enabled.empty() || !run_.violated().empty() || i == kStepsOfPromise) {
                break;
            }
            if (is_first) {
                rest.push_back(steps.choose(enabled, same_party));
            } else if (i == rest.size() ||
                       std::find(enabled.begin(), enabled.end(), rest[i]) == enabled.end()) {
                break;
            }
            run_.take(rest[i]);
        }
    } catch (const Misbehaved&) {
        program_.kill();
        seen.emplace_back();
    }
    (void)run_.take_tally();  // these runs are not of the search
    return seen;
}

std::string SteppedSearch::broken_promise() {
    for (const MetAgain& met : met_again_) {
        if (seconds() >= options_.seconds_max || interrupt_requested()) {
            break;
        }
        Actions rest;
        std::vector<std::string> first;
        std::vector<std::string> then;
        try {
            first = futures(met.first, rest, true);
            then = futures(met.then, rest, false);
        } catch (const Stopped&) {
            program_.kill();
            break;
        }
        const auto differ = std::mismatch(first.begin(), first.end(), then.begin(), then.end());
        if (differ.first != first.end() || differ.second != then.end()) {
            const auto step = static_cast<std::size_t>(differ.first - first.begin());
            const auto with_rest = [&](Actions path) {
                path.insert(
                    path.end(), rest.begin(),
                    rest.begin() + static_cast<std::ptrdiff_t>(std::min(step, rest.size())));
                return to_line({options_.seed, path});
            };
            return fmt::format(
                "it says \"stateless\", and keeps something on which its steps depend: two runs "
                "came to the same, and {} steps later they differ: --replay-choices '{}' and "
                "--replay-choices '{}'",
                step, with_rest(met.first), with_rest(met.then));
        }
    }
    return "";
}

}  // namespace lockkeeper
