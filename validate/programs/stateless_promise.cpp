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
constexpr std::uint64_t kGoneOnWith = 8;  // ways, of each pair

// The first ones, then ever fewer.
bool is_sampled(std::uint64_t cut) { return cut <= kCutsAllTaken || (cut & (cut - 1)) == 0; }

}  // namespace

void SteppedSearch::note_first(const std::string& key) {
    if (path_bytes_ < kPathBytesMax) {
        path_bytes_ += actions_.size() * sizeof(Action) + sizeof(std::uint64_t);
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
std::vector<std::string> SteppedSearch::futures(const Actions& path, Actions& rest,
                                                std::uint64_t number, bool is_first) {
    std::vector<std::string> seen;
    try {
        run_.begin();
        for (const Action action : path) {
            run_.take(action);
        }
        Random random(options_.seed + number * kGoldenRatio);
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
                // Each as likely: who goes on with what was begun seldom meets another.
                rest.push_back(enabled[random.below(static_cast<std::uint32_t>(enabled.size()))]);
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

std::string SteppedSearch::difference_after(const MetAgain& met, std::uint64_t number) {
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

std::string SteppedSearch::broken_promise() {
    try {
        for (const MetAgain& met : met_again_) {
            for (std::uint64_t number = 0; number < kGoneOnWith; ++number) {
                if (seconds() >= options_.seconds_max || interrupt_requested()) {
                    return "";
                }
                if (std::string difference = difference_after(met, number); !difference.empty()) {
                    return difference;
                }
            }
        }
    } catch (const Stopped&) {
        program_.kill();
    }
    return "";
}

}  // namespace lockkeeper
