// States as records: what the explorer stores, compares and takes fingerprints of.
//
// A System whose state has parts (PartedSystem, RuntimePartedSystem: a slot for each caller, what
// is shared, the rest) is stored as the numbers of its parts, two bytes each: a caller has a few
// hundred different situations, not 2^100. Any other state is its bytes. Symmetry is part of the
// record: the numbers of interchangeable callers stand in ascending order.
//
// Parts get their numbers one after the other, in an order that does not depend on how many
// workers there are (Explorer sees to it): so the records are the same, too.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "model/check.hpp"
#include "model/system.hpp"
#include "scheduler/part_table.hpp"
#include "scheduler/state_parts.hpp"

namespace lockkeeper {

// Numbers of two bytes do not suffice: the search begins again with four.
struct TooManyParts {};

template <System S>
class StateCodec {
  public:
    using State = typename S::State;

    // `is_wide`: four bytes a part instead of two.
    StateCodec(const S& system, bool symmetry, bool) : system_(system), symmetry_(symmetry) {}

    [[nodiscard]] std::size_t words() const {
        return (state_bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    }
    [[nodiscard]] std::size_t bytes() const { return 0; }
    // What is not stored is zero in every state; `state` has been zero or unpacked before.
    void unpack(const std::uint64_t* record, State& state) const {
        std::memcpy(static_cast<void*>(&state), record, state_bytes());
    }
    void add(const State& state, std::uint64_t* record) { represent(state, record); }
    [[nodiscard]] bool pack(const State&, const std::uint64_t*, const State& after,
                            std::uint64_t* record) const {
        represent(after, record);
        return true;
    }
    [[nodiscard]] bool find(const State& state, std::uint64_t* record) const {
        represent(state, record);
        return true;
    }
    [[nodiscard]] bool is_wide() const { return false; }
    [[nodiscard]] bool sorts() const { return symmetry_; }
    void save(CheckpointWriter&) const {}
    void load(CheckpointReader&) {}

  private:
    void represent(const State& state, std::uint64_t* record) const {
        record[words() - 1] = 0;
        if constexpr (SymmetricSystem<S>) {
            if (symmetry_) {
                State sorted;
                std::memcpy(static_cast<void*>(&sorted), &state, state_bytes());
                system_.canonicalize(sorted);
                std::memcpy(record, &sorted, state_bytes());
                return;
            }
        }
        std::memcpy(record, &state, state_bytes());
    }
    [[nodiscard]] std::size_t state_bytes() const { return used_bytes_of(system_); }

    const S& system_;
    bool symmetry_;
};

template <SystemOfParts S>
class StateCodec<S> {
    using Parts = StateParts<S>;

  public:
    using State = typename S::State;

    StateCodec(const S& system, bool symmetry, bool is_wide)
        : parts_(system),
          slots_count_(system.slots_count()),
          symmetry_(symmetry),
          is_wide_(is_wide),
          slots_(parts_.slot()),
          shared_(parts_.shared()),
          tails_(parts_.tail()) {
        for (std::size_t i = 0; i < slots_count_; ++i) {
            group_[i] = system.group(i);
        }
    }

    [[nodiscard]] std::size_t words() const {
        const std::size_t bytes = numbers_count() * (is_wide_ ? 4 : 2);
        return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    }
    [[nodiscard]] std::size_t bytes() const {
        return slots_.bytes() + shared_.bytes() + tails_.bytes();
    }

    // `state` must have been zero or unpacked before: slots that no caller has are left alone.
    void unpack(const std::uint64_t* record, State& state) const {
        is_wide_ ? unpack_as<std::uint32_t>(record, state)
                 : unpack_as<std::uint16_t>(record, state);
    }

    // The record of `after`, which a step has made of `before`. False: some part was never seen.
    [[nodiscard]] bool pack(const State& before, const std::uint64_t* record_before,
                            const State& after, std::uint64_t* record) const {
        return is_wide_ ? pack_as<std::uint32_t>(before, record_before, after, record)
                        : pack_as<std::uint16_t>(before, record_before, after, record);
    }

    // The record of any state. False: some part was never seen.
    [[nodiscard]] bool find(const State& state, std::uint64_t* record) const {
        return from_scratch(state, record, [](const auto& table, const std::byte* part) {
            return table.find(part);
        });
    }

    // The same; what was never seen gets a number.
    void add(const State& state, std::uint64_t* record) {
        from_scratch(state, record,
                     [](auto& table, const std::byte* part) { return table.find_or_add(part); });
        check_numbers();
    }

    // --- for those who work with the numbers themselves (narrow ones): slots, shared, tail
    // --------

    using Number = std::uint16_t;
    static constexpr std::size_t kNumbersMax = S::kSlotsMax + 2;
    [[nodiscard]] const PartTable<typename Parts::Slot>& slots() const { return slots_; }
    [[nodiscard]] const PartTable<typename Parts::Shared>& shared() const { return shared_; }
    [[nodiscard]] std::size_t slots_count() const { return slots_count_; }

    void unpack_numbers(const Number* numbers, State& state) const {
        unpack_from([&](std::size_t i) { return numbers[i]; }, state);
    }
    // Into the first slot.
    void unpack_slot(std::uint32_t number, State& state) const {
        std::memcpy(bytes_of(state), slots_.value(number), parts_.slot().size());
    }
    void unpack_shared(std::uint32_t number, State& state) const {
        std::memcpy(bytes_of(state) + parts_.shared_at(), shared_.value(number),
                    parts_.shared().size());
    }
    [[nodiscard]] bool differs_only_at(const State& left, const State& right,
                                       std::size_t slot) const {
        const auto part = parts_.slot();
        for (std::size_t i = 0; i < slots_count_; ++i) {
            if (i != slot &&
                !part.same(bytes_of(left) + i * part.size(), bytes_of(right) + i * part.size())) {
                return false;
            }
        }
        return true;
    }
    Number add_slot(const State& state, std::size_t slot) {
        return narrow(slots_.find_or_add(bytes_of(state) + slot * parts_.slot().size()));
    }
    Number add_shared(const State& state) {
        return narrow(shared_.find_or_add(bytes_of(state) + parts_.shared_at()));
    }
    Number add_tail(const State& state) {
        return narrow(tails_.find_or_add(bytes_of(state) + parts_.tail_at()));
    }
    // Whether some callers are interchangeable, and to be taken for such.
    [[nodiscard]] bool sorts() const {
        const auto end = group_.begin() + static_cast<std::ptrdiff_t>(slots_count_);
        return symmetry_ && std::adjacent_find(group_.begin(), end) != end;
    }
    void sort_all(Number* numbers) const { sort_callers(numbers); }
    // The caller at `slot` has a new number: puts it where it belongs among those of its group.
    void sort_caller(Number* numbers, std::size_t slot) const {
        if (!symmetry_) {
            return;
        }
        for (; slot > 0 && group_[slot] == group_[slot - 1] && numbers[slot] < numbers[slot - 1];
             --slot) {
            std::swap(numbers[slot], numbers[slot - 1]);
        }
        for (; slot + 1 < slots_count_ && group_[slot] == group_[slot + 1] &&
               numbers[slot] > numbers[slot + 1];
             ++slot) {
            std::swap(numbers[slot], numbers[slot + 1]);
        }
    }

    [[nodiscard]] bool is_wide() const { return is_wide_; }
    void save(CheckpointWriter& file) const {
        file.value(is_wide_);
        slots_.save(file);
        shared_.save(file);
        tails_.save(file);
    }
    // Before any state was added.
    void load(CheckpointReader& file) {
        file.value(is_wide_);
        const std::size_t most = is_wide_ ? 0xFFFFFFFEU : kNarrowMost;
        slots_.load(file, most);
        shared_.load(file, most);
        tails_.load(file, most);
    }

  private:
    using Numbers = std::array<std::uint32_t, kNumbersMax>;

    // Slots, shared, tail.
    [[nodiscard]] std::size_t numbers_count() const { return slots_count_ + 2; }

    [[nodiscard]] static const std::byte* bytes_of(const State& state) {
        return reinterpret_cast<const std::byte*>(&state);
    }
    [[nodiscard]] static std::byte* bytes_of(State& state) {
        return reinterpret_cast<std::byte*>(&state);
    }

    // The largest narrow numbers are kept free for those who need a mark.
    static constexpr std::size_t kNarrowMost = 0xFFF0;
    [[nodiscard]] static Number narrow(std::uint32_t number) {
        if (number >= kNarrowMost) {
            throw TooManyParts();
        }
        return static_cast<Number>(number);
    }
    void check_numbers() const {
        const std::size_t most = std::max({slots_.size(), shared_.size(), tails_.size()});
        if (!is_wide_ && most > kNarrowMost) {
            throw TooManyParts();
        }
    }

    template <class Number>
    void unpack_as(const std::uint64_t* record, State& state) const {
        unpack_from(
            [&](std::size_t i) {
                Number value;
                std::memcpy(&value, reinterpret_cast<const std::byte*>(record) + i * sizeof(Number),
                            sizeof(Number));
                return value;
            },
            state);
    }

    template <class NumberAt>
    void unpack_from(NumberAt number, State& state) const {
        std::byte* bytes = bytes_of(state);
        for (std::size_t i = 0; i < slots_count_; ++i) {
            const std::size_t size = parts_.slot().size();
            std::memcpy(bytes + i * size, slots_.value(number(i)), size);
        }
        std::memcpy(bytes + parts_.shared_at(), shared_.value(number(slots_count_)),
                    parts_.shared().size());
        std::memcpy(bytes + parts_.tail_at(), tails_.value(number(slots_count_ + 1)),
                    parts_.tail().size());
    }

    template <class Number>
    [[nodiscard]] bool pack_as(const State& before, const std::uint64_t* record_before,
                               const State& after, std::uint64_t* record) const {
        std::array<Number, kNumbersMax + 32> numbers;  // room for whole words
        copy_words(numbers.data(), record_before, words());
        const std::byte* old_bytes = bytes_of(before);
        const std::byte* new_bytes = bytes_of(after);
        bool is_known = true;
        const auto renumber = [&](std::size_t i, const auto& table, std::size_t at) {
            if (!table.part().same(old_bytes + at, new_bytes + at)) {
                const std::uint32_t number = table.find(new_bytes + at);
                is_known &= number < std::numeric_limits<Number>::max();
                numbers[i] = static_cast<Number>(number);
            }
        };
        for (std::size_t i = 0; i < slots_count_; ++i) {
            renumber(i, slots_, i * parts_.slot().size());
        }
        renumber(slots_count_, shared_, parts_.shared_at());
        renumber(slots_count_ + 1, tails_, parts_.tail_at());
        sort_callers(numbers.data());
        copy_words(record, numbers.data(), words());
        return is_known;
    }

    template <class NumberOf>
    bool from_scratch(const State& state, std::uint64_t* record, NumberOf number_of) const {
        return from_scratch(*this, state, record, number_of);
    }
    template <class NumberOf>
    bool from_scratch(const State& state, std::uint64_t* record, NumberOf number_of) {
        return from_scratch(*this, state, record, number_of);
    }

    template <class Self, class NumberOf>
    static bool from_scratch(Self& self, const State& state, std::uint64_t* record,
                             NumberOf number_of) {
        const std::byte* bytes = bytes_of(state);
        Numbers numbers{};
        for (std::size_t i = 0; i < self.slots_count_; ++i) {
            numbers[i] = number_of(self.slots_, bytes + i * self.parts_.slot().size());
        }
        numbers[self.slots_count_] = number_of(self.shared_, bytes + self.parts_.shared_at());
        numbers[self.slots_count_ + 1] = number_of(self.tails_, bytes + self.parts_.tail_at());
        self.sort_callers(numbers.data());
        std::fill_n(record, self.words(), 0U);
        auto* out = reinterpret_cast<std::byte*>(record);
        bool is_known = true;
        for (std::size_t i = 0; i < self.numbers_count(); ++i) {
            is_known &= numbers[i] != 0xFFFFFFFFU;
            const auto narrow = static_cast<std::uint16_t>(numbers[i]);
            self.is_wide_
                ? std::memcpy(out + i * sizeof(numbers[i]), &numbers[i], sizeof(numbers[i]))
                : std::memcpy(out + i * sizeof(narrow), &narrow, sizeof(narrow));
        }
        return is_known;
    }

    // Insertion sort: a step leaves all but one caller in order.
    template <class Number>
    void sort_callers(Number* numbers) const {
        if (!symmetry_) {
            return;
        }
        for (std::size_t i = 1; i < slots_count_; ++i) {
            for (std::size_t j = i;
                 j > 0 && group_[j] == group_[j - 1] && numbers[j] < numbers[j - 1]; --j) {
                std::swap(numbers[j], numbers[j - 1]);
            }
        }
    }

    [[no_unique_address]] Parts parts_;
    std::size_t slots_count_;
    bool symmetry_;
    bool is_wide_;
    std::array<std::uint8_t, S::kSlotsMax> group_{};
    PartTable<typename Parts::Slot> slots_;
    PartTable<typename Parts::Shared> shared_;
    PartTable<typename Parts::Tail> tails_;
};

}  // namespace lockkeeper
