// SPDX-License-Identifier: Apache-2.0

// From keys, which are not 0, to small values. Open addressing, at most half full. Reading is safe
// from several threads while nobody adds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockkeeper {

template <class Value>
class KeyMap {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t bytes() const { return places_.capacity() * sizeof(Place); }

    // nullptr: not known. The value moves when another is added.
    [[nodiscard]] const Value* find(std::uint64_t key) const {
        const Place& place = places_[place_of(key)];
        return place.key == key ? &place.value : nullptr;
    }
    [[nodiscard]] Value* find(std::uint64_t key) {
        Place& place = places_[place_of(key)];
        return place.key == key ? &place.value : nullptr;
    }
    void clear() {
        places_.assign(64, Place{});
        size_ = 0;
    }
    // A key that is not known.
    void add(std::uint64_t key, const Value& value) {
        if (++size_ * 2 > places_.size()) {
            std::vector<Place> old(places_.size() * 2);
            old.swap(places_);
            for (const Place& known : old) {
                if (known.key != 0) {
                    places_[place_of(known.key)] = known;
                }
            }
        }
        places_[place_of(key)] = {key, value};
    }

  private:
    struct Place {
        std::uint64_t key = 0;
        Value value{};
    };

    // Where the key is, or the free place where it would be.
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
        const std::size_t mask = places_.size() - 1;
        const std::uint64_t mixed = key * 0x9E3779B97F4A7C15U;
        std::size_t at = (mixed ^ mixed >> 32U) & mask;
        while (places_[at].key != key && places_[at].key != 0) {
            at = (at + 1) & mask;
        }
        return at;
    }

    std::vector<Place> places_ = std::vector<Place>(64);
    std::size_t size_ = 0;
};

}  // namespace lockkeeper
