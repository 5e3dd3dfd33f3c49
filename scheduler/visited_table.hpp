// Open addressing from the fingerprint of a state to its number. A slot is 32 bits of the
// fingerprint and the number; it says where to look, the caller compares what stands there.
//
// Filled to three quarters, then one half larger: 10.7 to 16 bytes a number.
#pragma once

#include <cstdint>
#include <cstring>

#include "model/check.hpp"
#include "scheduler/page_arena.hpp"
#include "scheduler/prefetch.hpp"

namespace lockkeeper {

class VisitedTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

    explicit VisitedTable(PageArena& arena) : arena_(&arena) { allocate(kSmallest); }

    [[nodiscard]] std::size_t bytes() const { return slots_count_ * sizeof(std::uint64_t); }
    [[nodiscard]] bool is_crowded() const { return count_ * 4 >= slots_count_ * 3; }

    void prefetch(std::uint64_t hash) const { lockkeeper::prefetch(&slots_[home(hash)]); }

    // How far a look has come; of no use when the table has grown since.
    struct Place {
        std::size_t at = 0;
        std::size_t slots_count = 0;
    };
    [[nodiscard]] Place start(std::uint64_t hash) const { return {home(hash), slots_count_}; }

    // Goes on until 32 bits agree, to the end of the cache line (the next is prefetched) or to a
    // free slot. Returns the number that will have to be compared, or kNone.
    [[nodiscard]] std::uint32_t look_ahead(std::uint64_t hash, Place& place) const {
        place = start(hash);
        for (;;) {
            const std::uint64_t slot = slots_[place.at];
            if (slot == 0) {
                return kNone;
            }
            if (slot >> 32U == tag(hash)) {
                return number(slot);
            }
            place.at = after(place.at);
            if (place.at % kSlotsOfLine == 0) {
                lockkeeper::prefetch(&slots_[place.at]);
                return kNone;
            }
        }
    }

    // The number for which is_same(number) holds, or kNone; then `place` is where it belongs. Slots
    // are never freed: what was passed once need not be looked at again.
    template <class IsSame>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Place& place, IsSame is_same) const {
        if (place.slots_count != slots_count_) {
            place = start(hash);
        }
        for (;; place.at = after(place.at)) {
            const std::uint64_t slot = slots_[place.at];
            if (slot == 0) {
                return kNone;
            }
            if (slot >> 32U == tag(hash) && is_same(number(slot))) {
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
    void insert(std::uint64_t hash, Place place, std::uint32_t number) {
        slots_[place.at] = tag(hash) << 32U | (std::uint64_t{number} + 1);
        ++count_;
    }
    void insert(std::uint64_t hash, std::uint32_t number) {
        Place place = start(hash);
        const std::uint32_t none = find(hash, place, [](std::uint32_t) { return false; });
        LOCKKEEPER_CHECK(none == kNone);
        insert(hash, place, number);
    }

    // Larger; hash_of(number) gives the fingerprints of 0 .. count-1 again. The old slots are gone
    // before the new ones are asked for.
    template <class HashOf>
    void grow(HashOf hash_of) {
        const std::size_t count = count_;
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

  private:
    static constexpr std::size_t kSmallest = 64;
    static constexpr std::size_t kSlotsOfLine = 8;
    static constexpr std::size_t kDoubledBelow = 256 * 1024;  // two megabytes

    // Bits 27 to 58; those above choose the shard, those below are in the tag.
    [[nodiscard]] std::size_t home(std::uint64_t hash) const {
        return static_cast<std::size_t>((hash >> 27U & 0xFFFFFFFFU) * slots_count_ >> 32U);
    }
    [[nodiscard]] std::size_t after(std::size_t at) const {
        return at + 1 == slots_count_ ? 0 : at + 1;
    }
    [[nodiscard]] static std::uint64_t tag(std::uint64_t hash) { return hash & 0xFFFFFFFFU; }
    [[nodiscard]] static std::uint32_t number(std::uint64_t slot) {
        return static_cast<std::uint32_t>(slot - 1);
    }

    void allocate(std::size_t slots_count) {
        if (slots_ != nullptr) {
            arena_->give_back(slots_, bytes());
        }
        const std::size_t bytes = slots_count * sizeof(std::uint64_t);
        slots_ = static_cast<std::uint64_t*>(arena_->take(bytes));
        std::memset(slots_, 0, bytes);
        slots_count_ = slots_count;
        count_ = 0;
    }

    PageArena* arena_;
    std::uint64_t* slots_ = nullptr;
    std::size_t slots_count_ = 0;
    std::size_t count_ = 0;
};

}  // namespace lockkeeper
