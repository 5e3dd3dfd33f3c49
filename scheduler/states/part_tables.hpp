// SPDX-License-Identifier: Apache-2.0

// The tables of all parts of a state: slots, what is shared, the tail. Part `i` is the one that the
// `i`th number of a record stands for. Base of StateCodec.
#pragma once

#include <array>
#include <cstring>

#include "scheduler/states/packing.hpp"
#include "scheduler/states/part_table.hpp"
#include "scheduler/states/state_parts.hpp"

namespace lockkeeper {

template <System S>
class PartTables {
  protected:
    using Parts = StateParts<S>;

  public:
    using State = typename S::State;
    static constexpr std::size_t kNumbersMax = S::kSlotsMax + 2;

    explicit PartTables(const S& system)
        : parts_(system),
          slots_count_(system.slots_count()),
          slots_(parts_.slot()),
          shared_(parts_.shared()),
          tails_(parts_.tail()) {}

    [[nodiscard]] const PartTable<typename Parts::Slot>& slots() const { return slots_; }
    [[nodiscard]] const PartTable<typename Parts::Shared>& shared() const { return shared_; }
    [[nodiscard]] std::size_t slots_count() const { return slots_count_; }

    void unpack_slot(std::uint32_t number, std::size_t slot, State& state) const {
        const std::size_t size = parts_.slot().size();
        std::memcpy(bytes_of(state) + slot * size, slots_.value(number), size);
    }
    void unpack_shared(std::uint32_t number, State& state) const {
        std::memcpy(bytes_of(state) + parts_.shared_at(), shared_.value(number),
                    parts_.shared().size());
    }
    void unpack_rest(std::uint32_t shared, std::uint32_t tail, State& state) const {
        unpack_shared(shared, state);
        std::memcpy(bytes_of(state) + parts_.tail_at(), tails_.value(tail), parts_.tail().size());
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

    // The parts that a step has changed, to be looked up: start(), soon look_ahead(), then the
    // look-up. Whoever starts several does not wait for memory.
    struct Changed {
        struct Part {
            std::size_t i = 0;
            std::uint64_t hash = 0;
        };
        std::array<Part, kNumbersMax> parts;
        std::size_t count = 0;
    };
    void start(const State& before, const State& after, Changed& changed) const {
        changed.count = 0;
        for (std::size_t i = 0; i < numbers_count(); ++i) {
            with_part(*this, i, [&](const auto& table, std::size_t at) {
                const std::byte* part = bytes_of(after) + at;
                if (!table.part().same(bytes_of(before) + at, part)) {
                    const std::uint64_t hash = table.part().hash(part);
                    table.prefetch_slot(hash);
                    changed.parts[changed.count++] = {i, hash};
                }
            });
        }
    }
    void look_ahead(const Changed& changed) const {
        for (std::size_t part = 0; part < changed.count; ++part) {
            const auto [i, hash] = changed.parts[part];
            with_part(*this, i, [hash = hash](const auto& table, std::size_t) {
                table.prefetch_found(hash);
            });
        }
    }

  protected:
    // Slots, shared, tail.
    [[nodiscard]] std::size_t numbers_count() const { return slots_count_ + 2; }

    // Calls visit(table, where it lies in a state).
    template <class Self, class Visit>
    static void with_part(Self& self, std::size_t i, Visit visit) {
        if (i < self.slots_count_) {
            visit(self.slots_, i * self.parts_.slot().size());
        } else if (i == self.slots_count_) {
            visit(self.shared_, self.parts_.shared_at());
        } else {
            visit(self.tails_, self.parts_.tail_at());
        }
    }
    // Each has one value, which leaves nothing in a file.
    void add_parts_of_no_bytes() {
        const std::byte nothing{};
        if (parts_.shared().size() == 0) {
            shared_.find_or_add(&nothing);
        }
        if (parts_.tail().size() == 0) {
            tails_.find_or_add(&nothing);
        }
    }
    [[nodiscard]] PartCounts counts() const {
        return {slots_.size(), shared_.size(), tails_.size()};
    }

    template <class Number>
    void unpack_parts(const Number* numbers, State& state) const {
        std::byte* bytes = bytes_of(state);
        for (std::size_t i = 0; i < slots_count_; ++i) {
            const std::size_t size = parts_.slot().size();
            std::memcpy(bytes + i * size, slots_.value(numbers[i]), size);
        }
        std::memcpy(bytes + parts_.shared_at(), shared_.value(numbers[slots_count_]),
                    parts_.shared().size());
        std::memcpy(bytes + parts_.tail_at(), tails_.value(numbers[slots_count_ + 1]),
                    parts_.tail().size());
    }
    template <class Number>
    void prefetch_each(const Number* numbers) const {
        for (std::size_t i = 0; i < numbers_count(); ++i) {
            with_part(*this, i,
                      [&](const auto& table, std::size_t) { table.prefetch_value(numbers[i]); });
        }
    }

    [[nodiscard]] static const std::byte* bytes_of(const State& state) {
        return reinterpret_cast<const std::byte*>(&state);
    }
    [[nodiscard]] static std::byte* bytes_of(State& state) {
        return reinterpret_cast<std::byte*>(&state);
    }

    [[no_unique_address]] Parts parts_;
    std::size_t slots_count_;
    PartTable<typename Parts::Slot> slots_;
    PartTable<typename Parts::Shared> shared_;
    PartTable<typename Parts::Tail> tails_;
};

}  // namespace lockkeeper
