// SPDX-License-Identifier: Apache-2.0

// GrowthWatch for a search: looks at some states of each level, and says in words which field
// grows. Used by the explorer.
#pragma once

#include <cstring>
#include <string>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/growth.hpp"
#include "scheduler/search/reached.hpp"

namespace lockkeeper {

template <System S>
class GrowthLook {
  public:
    GrowthLook(const S& system, const ExploreOptions& options, const Reached<S>& reached)
        : system_(system),
          options_(options),
          reached_(reached),
          watch_(layout_of(system), slots_count_of(system)) {}

    // The numbers of states are new.
    void begin() {
        watch_ = GrowthWatch(layout_of(system_), slots_count_of(system_));
        looks_ = 0;
    }

    // At some states of the level to be expanded; of many levels not at each. Gives a hint once.
    void look_at_level() {
        const SearchProgress& progress = reached_.progress;
        const std::size_t level = progress.levels.size();
        // Other processes keep the other states.
        if (options_.ranks != nullptr || options_.storage != Storage::kExact ||
            level % (1 + level / kLevelsLookedAt) != 0) {
            return;
        }
        std::size_t looks = 0;
        for (std::size_t shard = 0; shard < StateStore::kShards && looks < kLooksMax; ++shard) {
            if (progress.next[shard] < progress.level_end[shard]) {
                look_at(StateStore::id_of(shard, progress.next[shard]), level);
                ++looks;
            }
        }
        give_hint();
    }
    // Depth first: at one state now and then.
    void look_at_state(StateId id) {
        if (options_.storage == Storage::kExact) {
            look_at(id, ++looks_);
            give_hint();
        }
    }

    // Empty: nothing grows.
    [[nodiscard]] std::string text() const {
        const auto field = watch_.growing();
        if (!field) {
            return "";
        }
        return growth_text(*field, shown(field->low_state), shown(field->high_state));
    }

  private:
    // A search that small ends before anybody has read a hint.
    static constexpr std::size_t kStatesBeforeHint = 20'000;
    static constexpr std::size_t kLooksMax = 16;  // at states of one level
    static constexpr std::size_t kLevelsLookedAt = 512;

    void look_at(StateId id, std::uint64_t depth) {
        const State state = at(id);
        watch_.look({reinterpret_cast<const std::byte*>(&state), used_bytes_of(system_)}, id,
                    depth);
    }
    void give_hint() {
        if (!has_hinted_ && options_.hint && reached_.store().size() >= kStatesBeforeHint) {
            const std::string hint = text();
            has_hinted_ = !hint.empty();
            if (has_hinted_) {
                options_.hint(hint);
            }
        }
    }
    [[nodiscard]] std::string shown(std::uint64_t id) const {
        return system_.show(at(static_cast<StateId>(id)));
    }

    using State = typename S::State;
    [[nodiscard]] State at(StateId id) const {
        State state;
        std::memset(static_cast<void*>(&state), 0, sizeof(state));
        RecordCache cache;
        reached_.knowledge().codec.unpack(reached_.store().record(id, cache), state);
        return state;
    }

    const S& system_;
    const ExploreOptions& options_;
    const Reached<S>& reached_;
    GrowthWatch watch_;
    std::uint64_t looks_ = 0;
    bool has_hinted_ = false;
};

}  // namespace lockkeeper
