// SPDX-License-Identifier: Apache-2.0

// Relative time for systems that compare instants with clocks only. A state keeps how far each
// instant is ahead, or its age, up to an age that no clock tells from a greater one. Now is the
// same instant in all states. A state also keeps the time left until the end (end_of_time.hpp).
//
//   an instant      keeps its distance from now; an age above `most` becomes `most`
//   a number        is compared with others of its kind: they become 1, 2, 3 ... in their order
//   a high water    only matters for which numbers it is larger than; while it is larger than
//                   none, it becomes the first number
//
// Used by Implementations with Traits::relative_time and Traits::time_left, through World. The
// other way, for instants that are compared with each other, is relative_time.hpp. Why nothing is
// lost: docs/decisions/0034-relative-time.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/end_of_time.hpp"

namespace lockkeeper {

class CappedAges {
    static constexpr std::size_t kKinds = 12;

  public:
    static constexpr std::size_t kMost = 40;  // numbers of a kind, in one state
    // The same in all states of a system.
    struct Bounds {
        std::int32_t oldest = 0;  // no age is told from a greater one; 0: there is no relative time
        std::int32_t end = 0;     // of time, by the clock
        std::int32_t farthest = 0;  // ahead of now, of all that is written

        [[nodiscard]] bool exist() const { return oldest != 0; }
        // The instant that stands for now in every state.
        [[nodiscard]] std::int32_t now() const { return kBeginning + oldest; }
    };

    CappedAges(Instant& now, EndOfTime& end, const Bounds& bounds)
        : bounds_(bounds), now_(now), by_(bounds.now() - now) {
        const std::int32_t ends = end.instant() == 0 ? bounds.end : end.instant();
        end.set(lockkeeper::instant(ends + by_));
        now = lockkeeper::instant(bounds.now());
    }

    // Renames the instant. Leaves 0 and values above kInstantMax alone: they are no instants.
    void instant(Instant& instant, std::int32_t most) {
        if (instant != 0 && instant <= kInstantMax) {
            instant = lockkeeper::instant(std::max(instant + by_, bounds_.now() - most));
        }
    }
    void instant(Instant& instant) { this->instant(instant, bounds_.oldest); }
    // Returns the age of an instant that has not been renamed yet.
    [[nodiscard]] std::int32_t age_of(Instant instant) const { return now_ - instant; }
    // Renames an instant of which the system only asks whether it is set: it becomes now.
    void mark(Instant& instant) const { instant = instant == 0 ? Instant{0} : renamed_now(); }
    // Larger than the largest instant: it never comes.
    static constexpr Instant kNever = kInstantMax + 1;

    // 0 is none.
    void number(std::size_t kind, std::uint8_t& number) {
        if (number != 0) {
            add(kinds_[kind], number);
        }
    }
    // Each kind has at most one. Later numbers are no smaller.
    void high_water(std::size_t kind, std::uint8_t& number) { kinds_[kind].high_water = &number; }
    // The last number given out in `kinds` kinds from `first` on, whose numbers count on from
    // `base`; it becomes no less than `least`.
    void last_number(std::size_t first, std::size_t kinds, std::uint8_t base, std::uint8_t least,
                     std::uint8_t& last) {
        LOCKKEEPER_CHECK(first + kinds <= kKinds && counters_size_ < counters_.size());
        counters_[counters_size_++] = {first, kinds, base, least, &last};
    }

    // Renames all numbers; called once, after the last of them has been passed in.
    void rename();

  private:
    struct Kind {
        std::array<std::uint8_t*, kMost> numbers;
        std::size_t size = 0;
        std::uint8_t* high_water = nullptr;
    };
    static void add(Kind& kind, std::uint8_t& number) {
        LOCKKEEPER_CHECK(kind.size < kMost);
        kind.numbers[kind.size++] = &number;
    }
    struct Counter {
        std::size_t first;
        std::size_t kinds;
        std::uint8_t base;
        std::uint8_t least;
        std::uint8_t* last;
    };
    [[nodiscard]] Instant renamed_now() const { return static_cast<Instant>(bounds_.now()); }
    // Returns the largest number after the renaming.
    static std::uint8_t rename(Kind& kind, std::uint8_t base);

    const Bounds& bounds_;
    std::int32_t now_;
    std::int32_t by_;
    std::array<Kind, kKinds> kinds_;
    std::array<Counter, 3> counters_;
    std::size_t counters_size_ = 0;
};

}  // namespace lockkeeper
