// SPDX-License-Identifier: Apache-2.0

// Open addressing from the fingerprint of a state to its number. A slot is a tag and the number.
//
// Partial tags are 32 bits of the fingerprint: they say where to look, the caller compares what
// stands there. Whole tags are for fingerprints that are the states themselves (packing.hpp): what
// the fingerprint has beyond the home of a slot, and how far from home the slot lies. Home and tag
// together are the fingerprint, so that nothing else has to be looked at; the larger the table, the
// more bits of the slot are the number, and the fewer the tag needs.
//
// Filled to three quarters, then larger: 10.7 to 16 bytes a number, with whole tags 10.7 to 21.3.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "model/check.hpp"
#include "scheduler/states/packing.hpp"
#include "scheduler/states/page_arena.hpp"
#include "scheduler/states/prefetch.hpp"

namespace lockkeeper {

enum class SlotTags : std::uint8_t { kPartial, kWhole };

class VisitedTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

    explicit VisitedTable(PageArena& arena, SlotTags tags = SlotTags::kPartial)
        : arena_(&arena), step_(tags == SlotTags::kWhole ? 1 : 0) {
        allocate(kSmallest);
    }

    [[nodiscard]] std::size_t bytes() const { return slots_count_ * sizeof(std::uint64_t); }
    [[nodiscard]] bool is_crowded() const { return count_ * 4 >= slots_count_ * 3; }

    void prefetch(std::uint64_t hash) const { lockkeeper::prefetch(&slots_[home(hash)]); }

    // How far a look has come; of no use when the table has grown since.
    struct Place {
        std::size_t at = 0;
        std::uint64_t tag = 0;  // of the fingerprint in this slot
        std::size_t slots_count = 0;
    };
    [[nodiscard]] Place start(std::uint64_t hash) const {
        return {home(hash), tag(hash), slots_count_};
    }

    // Goes on until a tag agrees, to the end of the cache line (the next is prefetched) or to a
    // free slot. Returns the number that will have to be compared, or kNone.
    [[nodiscard]] std::uint32_t look_ahead(std::uint64_t hash, Place& place) const {
        place = start(hash);
        for (;;) {
            const std::uint64_t slot = slots_[place.at];
            if (slot == 0) {
                return kNone;
            }
            if (slot >> number_bits_ == place.tag) {
                return number(slot);
            }
            advance(place);
            if (place.at % kSlotsOfLine == 0) {
                lockkeeper::prefetch(&slots_[place.at]);
                return kNone;
            }
        }
    }

    // The number for which is_same(number) holds (with whole tags that is the one whose tag
    // agrees), or kNone; then `place` is where it belongs. Slots are never freed: what was passed
    // once need not be looked at again.
    template <class IsSame>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Place& place, IsSame is_same) const {
        if (place.slots_count != slots_count_) {
            place = start(hash);
        }
        for (;; advance(place)) {
            const std::uint64_t slot = slots_[place.at];
            if (slot == 0) {
                return kNone;
            }
            if (slot >> number_bits_ == place.tag && is_same(number(slot))) {
                check_distance(hash, place);
                return number(slot);
            }
        }
    }
    template <class IsSame>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, IsSame is_same) const {
        Place place = start(hash);
        return find(hash, place, is_same);
    }

    // `number` must be new, and `place` where find() did not find it, right before.
    void insert(std::uint64_t hash, const Place& place, std::uint32_t number) {
        check_distance(hash, place);
        slots_[place.at] = place.tag << number_bits_ | (std::uint64_t{number} + 1);
        ++count_;
    }
    void insert(std::uint64_t hash, std::uint32_t number) {
        Place place = start(hash);
        const std::uint32_t none = find(hash, place, [](std::uint32_t) { return false; });
        LOCKKEEPER_CHECK(none == kNone);
        insert(hash, place, number);
    }

    // Without numbers, as large as before.
    void clear() {
        std::memset(slots_, 0, bytes());
        count_ = 0;
    }

    // Larger; hash_of(number) gives the fingerprints of 0 .. count-1 again, where tags are partial.
    template <class HashOf>
    void grow(HashOf hash_of) {
        is_whole() ? grow_by_tags() : grow_by_numbers(hash_of);
    }

  private:
    static constexpr std::size_t kSmallest = 64;
    static constexpr std::size_t kSlotsOfLine = 8;
    static constexpr std::size_t kDoubledBelow = 256 * 1024;  // two megabytes

    // From home, with whole tags.
    static constexpr unsigned kFarthestBits = 11;
    static constexpr std::uint64_t kFarthest = std::uint64_t{1} << kFarthestBits;
    // The lowest bits of the fingerprint: they are zero where tags are whole.
    static constexpr unsigned kUnusedBits = kNoteBits;
    // Below those that choose the shard.
    static constexpr unsigned kHomeEnd = 59;
    static_assert(kHomeEnd - kUnusedBits + kFarthestBits == 64, "tag and number fill a slot");

    [[nodiscard]] bool is_whole() const { return step_ != 0; }

    // Bits 27 to 58; those above choose the shard, those below are in the tag.
    [[nodiscard]] std::size_t home(std::uint64_t hash) const {
        return static_cast<std::size_t>((hash >> 27U & 0xFFFFFFFFU) * slots_count_ >> 32U);
    }
    void advance(Place& place) const {
        place.at = place.at + 1 == slots_count_ ? 0 : place.at + 1;
        place.tag += step_;
    }
    // At home; a whole one counts the slots from there in its lowest bits.
    [[nodiscard]] std::uint64_t tag(std::uint64_t hash) const {
        return is_whole() ? (hash & rest_mask_) << (kFarthestBits - kUnusedBits)
                          : hash & rest_mask_;
    }
    [[nodiscard]] std::uint32_t number(std::uint64_t slot) const {
        return static_cast<std::uint32_t>((slot & ((std::uint64_t{1} << number_bits_) - 1)) - 1);
    }

    // In a table filled to three quarters the longest way from home is some hundreds of slots.
    void check_distance(std::uint64_t hash, const Place& place) const {
        LOCKKEEPER_CHECK(place.tag - tag(hash) < kFarthest);
    }

    // The old slots are gone before the new ones are asked for.
    template <class HashOf>
    void grow_by_numbers(HashOf hash_of) {
        const std::size_t count = count_;
        give_back();
        allocate(slots_count_ < kDoubledBelow ? slots_count_ * 2 : slots_count_ / 2 * 3);
        constexpr std::size_t kAhead = 32;
        std::uint64_t ring[kAhead] = {};
        for (std::size_t id = 0; id < count + kAhead; ++id) {
            if (id >= kAhead) {
                insert(ring[id % kAhead], static_cast<std::uint32_t>(id - kAhead));
            }
            if (id < count) {
                ring[id % kAhead] = hash_of(static_cast<std::uint32_t>(id));
                prefetch(ring[id % kAhead]);
            }
        }
    }

    // From slot to slot, which goes through the new ones in nearly one direction.
    void grow_by_tags() {
        const VisitedTable old = *this;
        allocate(slots_count_ * 2);
        for (std::size_t at = 0; at < old.slots_count_; ++at) {
            if (old.slots_[at] != 0) {
                insert(old.hash_at(at), old.number(old.slots_[at]));
            }
        }
        old.give_back();
    }
    // Without the bits that choose the shard.
    [[nodiscard]] std::uint64_t hash_at(std::size_t at) const {
        const std::uint64_t tag = slots_[at] >> number_bits_;
        const std::uint64_t home = (at - (tag & (kFarthest - 1))) & (slots_count_ - 1);
        return home << (kHomeEnd - number_bits_) | tag >> kFarthestBits << kUnusedBits;
    }

    void give_back() const { arena_->give_back(slots_, bytes()); }

    void allocate(std::size_t slots_count) {
        const std::size_t bytes = slots_count * sizeof(std::uint64_t);
        slots_ = static_cast<std::uint64_t*>(arena_->take(bytes));
        std::memset(slots_, 0, bytes);
        slots_count_ = slots_count;
        count_ = 0;
        number_bits_ = 32;
        rest_mask_ = 0xFFFFFFFFU;
        if (is_whole()) {
            number_bits_ = static_cast<unsigned>(std::bit_width(slots_count) - 1);
            rest_mask_ = (std::uint64_t{1} << (kHomeEnd - number_bits_)) - (1U << kUnusedBits);
        }
    }

    PageArena* arena_;
    std::uint64_t step_;  // of the tag, from slot to slot
    std::uint64_t* slots_ = nullptr;
    std::size_t slots_count_ = 0;
    std::size_t count_ = 0;
    unsigned number_bits_ = 32;
    std::uint64_t rest_mask_ = 0;  // of the fingerprint: what is in the tag
};

}  // namespace lockkeeper
