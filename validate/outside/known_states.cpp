// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/known_states.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kPathBytesMax = std::uint64_t{1} << 24U;
constexpr std::uint64_t kCutsAllTaken = 16;

// The first ones, then ever fewer.
bool is_sampled(std::uint64_t cut) { return cut <= kCutsAllTaken || (cut & (cut - 1)) == 0; }

}  // namespace

void KnownStates::clear() {
    first_paths_.clear();
    seen_.clear();
    seen_bytes_ = path_bytes_ = 0;
}

bool KnownStates::was_seen(std::string key, const Left& left, const std::vector<Action>& path) {
    const auto found = seen_.find(key);
    if (found != seen_.end()) {
        if (found->second.preemptions >= left.preemptions && found->second.steps >= left.steps) {
            note_again(key, path);
            return true;
        }
        found->second = left;
        return false;
    }
    if (seen_bytes_ < kSeenBytesMax) {
        seen_bytes_ += key.size() + 64;
        note_first(seen_.emplace(std::move(key), left).first->first, path);
    }
    return false;
}

void KnownStates::note_first(std::string_view key, const std::vector<Action>& path) {
    if (path_bytes_ < kPathBytesMax) {
        path_bytes_ += path.size() * sizeof(Action) + sizeof(std::uint64_t);
        first_paths_.emplace(key, path);
    }
}

void KnownStates::note_again(const std::string& key, const std::vector<Action>& path) {
    const auto first = first_paths_.find(key);
    if (first != first_paths_.end() && first->second != path && is_sampled(++cuts_)) {
        met_again_.push_back({first->second, path});
    }
}

}  // namespace lockkeeper
