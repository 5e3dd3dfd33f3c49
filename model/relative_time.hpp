// SPDX-License-Identifier: Apache-2.0

// Keeps of instants, and of numbers that are never used again, only what a system can still
// compare. Two states that differ in nothing else have the same future; rename() makes them equal:
//
//   instants ahead of now, and those that a clock may still show, keep their distance from now
//   gaps between past instants shrink to at most one unit more than the longest compared period
//   instants that are older than that period keep only their order; their age counts from the
//     earliest instant that a clock may still show, or reading that is still to be compared
//   the earliest instant of all is moved to the beginning
//   instants that are only compared for being equal become names: 1 is a stamp that equals no
//     token, 2, 3, 4 ... are those that a token and a stamp have in common
//   numbers become 1, 2, 3 ... in their order
//
// Used by Implementations with Traits::relative_time, through World. Why nothing is lost:
// docs/decisions/0034-relative-time.md.
//
// While an instant of the state has no number (kAfterTheEnd), and where one would get none, the
// state keeps its instants as they are: it goes on as by the clock, which has a limit at its end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/virtual_time.hpp"

namespace lockkeeper {

class RelativeTime {
    static constexpr std::size_t kMost = 128;  // of a kind, in one state

    template <class T>
    class Few {
      public:
        void add(const T& value) {
            LOCKKEEPER_CHECK(size_ < values_.size());
            values_[size_++] = value;
        }
        [[nodiscard]] const T* begin() const { return values_.data(); }
        [[nodiscard]] const T* end() const { return values_.data() + size_; }
        [[nodiscard]] T* begin() { return values_.data(); }
        [[nodiscard]] T* end() { return values_.data() + size_; }
        [[nodiscard]] std::size_t size() const { return size_; }
        // Returns size() where none of them equals `value`.
        [[nodiscard]] std::size_t place_of(const T& value) const {
            return static_cast<std::size_t>(std::find(begin(), end(), value) - begin());
        }

      private:
        std::array<T, kMost> values_;
        std::size_t size_ = 0;
    };
    // The different values, in ascending order. There are few.
    class Different {
      public:
        void add(std::int32_t value) {
            std::size_t at = size_;
            while (at > 0 && values_[at - 1] > value) {
                --at;
            }
            if (at > 0 && values_[at - 1] == value) {
                return;
            }
            LOCKKEEPER_CHECK(size_ < values_.size());
            std::copy_backward(values_.begin() + static_cast<std::ptrdiff_t>(at),
                               values_.begin() + static_cast<std::ptrdiff_t>(size_),
                               values_.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
            values_[at] = value;
            ++size_;
        }
        [[nodiscard]] std::size_t size() const { return size_; }
        [[nodiscard]] const std::int32_t* begin() const { return values_.data(); }
        [[nodiscard]] const std::int32_t* end() const { return values_.data() + size_; }
        [[nodiscard]] std::int32_t operator[](std::size_t at) const { return values_[at]; }
        [[nodiscard]] bool has(std::int32_t value) const {
            return std::find(begin(), end(), value) != end();
        }
        [[nodiscard]] std::size_t place_of(std::int32_t value) const {
            std::size_t at = 0;
            while (values_[at] != value) {
                ++at;
            }
            return at;
        }

      private:
        std::array<std::int32_t, kMost + 1> values_;
        std::size_t size_ = 0;
    };
    template <class T>
    struct Number {
        std::size_t kind;
        T* number;
    };

  public:
    // The same in all states of a system.
    struct Bounds {
        // Two instants further apart than this are far apart on every clock. 0: there is no
        // relative time.
        std::int32_t period = 0;
        std::int32_t behind = 0;  // by how much a clock can be behind the true time
        bool orders_old = true;   // whether instants that are old keep their order
        // For systems that compare instants only with clocks, and a key's lock only with readings
        // that are about to take it: past instants keep just what these comparisons can tell.
        bool goes_by_key = false;
        std::int32_t late = 0;  // how often a lock's time can still be made one larger than it is
        std::array<std::int32_t, 4>
            periods{};  // that a reading and a lock are compared by; 0: none

        [[nodiscard]] bool exist() const { return period != 0; }
    };

    RelativeTime(Instant& now, const Bounds& bounds)
        : bounds_(bounds), recent_(now - bounds.behind), earliest_reading_(recent_), now_(now) {
        add(now, false);
        different_.add(recent_);
    }

    // In the place of an instant: one that comes, but has no number in this state.
    static constexpr Instant kAfterTheEnd = kInstantMax + 2;

    // An instant that is compared with clocks, with other instants only for their order, and with
    // tokens for being equal. Ignores 0 and values above kInstantMax: they are no instants.
    void instant(Instant& instant) { add(instant, false); }
    template <std::size_t kSize>
    void instants(std::array<Instant, kSize>& instants) {
        for (Instant& one : instants) {
            instant(one);
        }
    }
    // A clock's reading with which other instants are still to be compared, a period apart.
    void reading(Instant& instant) { add(instant, true); }
    // Tokens are compared with stamps and instants for being equal, stamps with readings for their
    // order. No comparison uses their age. Only a token or a reading may equal a stamp.
    void token(Instant& instant) { add_name(tokens_, instant); }
    void stamp(Instant& instant) { add_name(stamps_, instant); }
    // The name of a token that no code compares any more, or that no stamp will equal.
    static constexpr Instant kNoStamp = kInstantMax + 1;

    // With Bounds::goes_by_key: a key's lock, and a reading by which its caller is about to take
    // this key.
    void lock_of(std::size_t key, Instant& instant, bool is_active) {
        add_of_key({key, &instant, 0, is_active ? OfKey::kActive : OfKey::kInactive, false, false});
    }
    void taking(std::size_t key, Instant& instant) {
        add_of_key({key, &instant, 0, OfKey::kReading, false, false});
    }
    // Keeps a reading until its call says what it is for: takes(key), or takes_none().
    void told_reading(Instant& reading) { told_ = reading == 0 ? nullptr : &reading; }
    void takes(std::size_t key) {
        if (Instant* const reading = std::exchange(told_, nullptr); reading != nullptr) {
            taking(key, *reading);
        }
    }
    void takes_none() {
        if (Instant* const reading = std::exchange(told_, nullptr); reading != nullptr) {
            instant(*reading);
        }
    }

    // Numbers of different kinds are never compared. 0 is none.
    void number(std::size_t kind, std::uint8_t& number) {
        if (number != 0) {
            narrow_.add({kind, &number});
        }
    }
    void number(std::size_t kind, std::uint16_t& number) {
        if (number != 0) {
            wide_.add({kind, &number});
        }
    }
    // The last number of this kind that was given.
    void last_number(std::size_t kind, std::uint8_t& last) { last_.add({kind, &last}); }

    void rename();

  private:
    void add(Instant& instant, bool is_reading) {
        goes_beyond_ = goes_beyond_ || instant == kAfterTheEnd;
        if (instant == 0 || instant > kInstantMax) {
            return;
        }
        places_.add(&instant);
        different_.add(instant);
        earliest_reading_ =
            is_reading ? std::min<std::int32_t>(earliest_reading_, instant) : earliest_reading_;
    }
    static void add_name(Few<Instant*>& names, Instant& instant) {
        if (instant != 0 && instant <= kInstantMax) {
            names.add(&instant);
        }
    }

    void rename_names();
    void rename_instants();
    void rename_by_key();
    // False: where now becomes `now`, and the latest instant `latest`, numbers or clocks would end.
    [[nodiscard]] bool have_numbers(std::int32_t now, std::int32_t latest) const {
        return std::max(now + bounds_.behind, latest) <= kInstantMax;
    }

    struct OfKey {  // without a value of its own: there is room for many, and few come
        enum Kind : std::uint8_t { kActive, kInactive, kReading };
        std::size_t key;
        Instant* instant;
        std::int32_t age;  // after the renaming
        Kind kind;
        bool is_over;
        bool has_passed;
    };
    void add_of_key(const OfKey& one) {
        if (*one.instant != 0 && *one.instant <= kInstantMax) {
            of_keys_.add(one);
        }
    }
    // The range in which the distance between an older and a younger one has to stay.
    struct Distances {
        std::int32_t least;
        std::int32_t most;
    };
    [[nodiscard]] std::int32_t age_of(const OfKey& one) const { return now_ - *one.instant; }
    [[nodiscard]] Distances distances(const OfKey& older, const OfKey& younger) const;
    [[nodiscard]] bool is_over(const OfKey& one) const;
    bool keep_apart(OfKey& one, OfKey& other) const;
    void rename_numbers(const Number<std::uint8_t>& last);

    Bounds bounds_;
    std::int32_t recent_;
    std::int32_t earliest_reading_;
    std::int32_t now_;
    bool goes_beyond_ = false;  // an instant that was told has no number
    Instant* told_ = nullptr;
    Few<OfKey> of_keys_;
    Few<Instant*> places_;
    Few<Instant*> tokens_;
    Few<Instant*> stamps_;
    Different different_;
    Few<Number<std::uint8_t>> narrow_;
    Few<Number<std::uint16_t>> wide_;
    Few<Number<std::uint8_t>> last_;
};

}  // namespace lockkeeper
