// SPDX-License-Identifier: Apache-2.0
#include "measure/state_table.hpp"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace lockkeeper {
namespace {

std::uint32_t hash_of(const std::byte* state, std::size_t width) {
    return static_cast<std::uint32_t>(XXH3_64bits(state, width));
}

}  // namespace

StateTable::StateTable(std::size_t bytes_of_state)
    : width_(bytes_of_state),
      per_block_(std::max<std::size_t>(1, kBlockBytes / bytes_of_state)),
      places_(1024, kNone) {}

std::size_t StateTable::bytes() const {
    return size() * (width_ + sizeof(hashes_[0])) + places_.size() * sizeof(places_[0]);
}

// Where the state stands, or the free place where it would.
std::size_t StateTable::place_of(const std::byte* state, std::uint32_t hash) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash & mask;
    while (places_[place] != kNone && !(hashes_[places_[place]] == hash &&
                                        std::memcmp(at(places_[place]), state, width_) == 0)) {
        place = (place + 1) & mask;
    }
    return place;
}

StateTable::Found StateTable::insert(const std::byte* state) {
    const std::uint32_t hash = hash_of(state, width_);
    const std::size_t place = place_of(state, hash);
    if (places_[place] != kNone) {
        return {places_[place], false};
    }
    const auto index = static_cast<StateIndex>(size());
    if (index % per_block_ == 0) {
        blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(per_block_ * width_));
    }
    std::memcpy(blocks_.back().get() + index % per_block_ * width_, state, width_);
    hashes_.push_back(hash);
    places_[place] = index;
    if (size() * 2 > places_.size()) {
        grow();
    }
    return {index, true};
}

StateIndex StateTable::find(const std::byte* state) const {
    return places_[place_of(state, hash_of(state, width_))];
}

void StateTable::grow() {
    std::vector<StateIndex> larger(places_.size() * 2, kNone);
    const std::size_t mask = larger.size() - 1;
    for (StateIndex index = 0; index < size(); ++index) {
        std::size_t place = hashes_[index] & mask;
        while (larger[place] != kNone) {
            place = (place + 1) & mask;
        }
        larger[place] = index;
    }
    places_.swap(larger);
}

}  // namespace lockkeeper
