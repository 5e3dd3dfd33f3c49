// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/seen_places.hpp"

#include <string>
#include <string_view>

#include "scheduler/states/words.hpp"

namespace lockkeeper {
namespace {

// Never 0, which is no key.
std::uint64_t hash(std::string_view bytes, std::uint64_t with) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), with) | 1U;
}

std::uint64_t key_of(std::uint64_t place, Action action) { return hash(to_text(action), place); }

}  // namespace

std::uint64_t place_of(std::string_view key) { return hash(key, 0); }

void PastOfParties::add(Action action, const OutsideStep& step) {
    const std::string what =
        to_text(action) + '\n' + step.text + '\n' + step.result + '\n' + std::to_string(step.bytes);
    if (!is_step(action)) {
        until_time_ = hash(what, fingerprint());
        of_party_.clear();
        return;
    }
    if (of_party_.size() <= action.actor) {
        of_party_.resize(action.actor + 1U, 0);
    }
    of_party_[action.actor] = hash(what, of_party_[action.actor]);
}

std::uint64_t PastOfParties::fingerprint() const {
    std::string all = std::to_string(until_time_);
    for (const std::uint64_t one : of_party_) {
        all += ' ' + std::to_string(one);
    }
    return hash(all, 0);
}

void SeenPlaces::begin(std::uint64_t place) {
    run_.clear();
    is_whole_ = true;
    here_ = {place, 0, 0};
}

std::vector<Action> SeenPlaces::offered(const std::vector<Action>& enabled) {
    here_.first = static_cast<std::uint32_t>(run_.keys.size());
    const bool has_room = run_.keys.size() + enabled.size() <= RunSteps::kKeysMost;
    here_.count = has_room ? static_cast<std::uint32_t>(enabled.size()) : 0;
    std::vector<Action> fresh;
    std::vector<Action> left;
    for (const Action action : enabled) {
        const std::uint64_t key = key_of(here_.state, action);
        if (seen_.times(key) == 0) {
            fresh.push_back(action);
        }
        if (has_room) {
            run_.keys.push_back(key);
        }
        if (!seen_.is_used_up(key)) {
            // Other ways to the place behind the step may have used that place up since.
            const std::uint64_t* behind = behind_.find(key);
            if (behind == nullptr || !seen_.is_used_up(*behind)) {
                left.push_back(action);
            } else if (run_.used_up.size() < RunSteps::kStepsMost) {
                run_.used_up.push_back({here_, key});
            }
        }
    }
    return !fresh.empty() ? fresh : !left.empty() ? left : enabled;
}

void SeenPlaces::took(Action action, std::uint64_t place) {
    is_whole_ = is_whole_ && run_.taken.size() < RunSteps::kStepsMost;
    const std::uint64_t key = key_of(here_.state, action);
    if (is_whole_) {
        run_.taken.push_back({here_, key});
    }
    if (behind_.find(key) == nullptr && behind_.size() < SeenSteps::kMost) {
        behind_.add(key, place);
    }
    here_ = {place, 0, 0};
}

void SeenPlaces::end(bool whole) {
    run_.ends = whole && is_whole_;
    run_.last_state = run_.ends ? here_.state : 0;
    seen_.add(run_);
}

}  // namespace lockkeeper
