// SPDX-License-Identifier: Apache-2.0

// Sleep sets (Godefroid 1996) in the six bits that a packed record has to spare.
//
// A stored state notes which slot led to it first, and what kind of footprint that step had. When
// the state is expanded, the steps of slots BEFORE that one which are independent of it are passed
// over: taken in the other order, from the same parent, they lead to the same successor, and
// whatever is passed over there is so for the sake of a slot further behind. So every state is
// made, at its own depth, and about half as many successors are looked up. All steps are still
// counted and judged. docs/decisions/0018-footprints-and-learned-runs.md has the proof.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/footprint.hpp"
#include "scheduler/states/packing.hpp"

namespace lockkeeper {

// The different footprints of a System, numbered as they are met. Those that find no number have
// kind 0, which is independent of none.
class FootprintKinds {
  public:
    static constexpr unsigned kBits = 3;
    static constexpr std::size_t kKinds = std::size_t{1} << kBits;
    using Footprints = std::array<Footprint, kKinds>;

    [[nodiscard]] std::uint8_t kind_of(Footprint footprint) {
        for (std::size_t kind = 0; kind < count_; ++kind) {
            if (footprints_[kind] == footprint) {
                return static_cast<std::uint8_t>(kind);
            }
        }
        if (count_ == kKinds) {
            return 0;
        }
        add(footprint);
        return static_cast<std::uint8_t>(count_ - 1);
    }
    // Bit k: steps of kind k are independent of those of this kind.
    [[nodiscard]] unsigned independent_of(std::size_t kind) const { return independent_[kind]; }

    // To be gone on with: notes of stored states mean these numbers.
    [[nodiscard]] const Footprints& footprints() const { return footprints_; }
    void restore(const Footprints& footprints) {
        *this = FootprintKinds();
        for (std::size_t kind = 1; kind < kKinds; ++kind) {
            if (footprints[kind] != kTouchesEverything) {
                add(footprints[kind]);
            }
        }
    }

  private:
    static constexpr Footprints nothing_known() {
        Footprints all{};
        all.fill(kTouchesEverything);
        return all;
    }

    void add(Footprint footprint) {
        footprints_[count_] = footprint;
        for (std::size_t kind = 0; kind <= count_; ++kind) {
            if (are_independent(footprint, footprints_[kind])) {
                independent_[count_] |= 1U << kind;
                independent_[kind] |= 1U << count_;
            }
        }
        ++count_;
    }

    Footprints footprints_ = nothing_known();
    std::array<unsigned, kKinds> independent_{};
    std::size_t count_ = 1;
};

// The steps that a state passes over, by the note that it was stored with.
class SleepSet {
  public:
    static constexpr std::size_t kSlotsMost = std::size_t{1} << (kNoteBits - FootprintKinds::kBits);

    // Slot `slot` led to the state by a step of this kind. 0: nothing will be passed over. With
    // symmetry it is the first slot of its group: sorting leaves groups where they are.
    [[nodiscard]] static unsigned note(std::size_t slot, std::uint8_t kind) {
        return slot < kSlotsMost ? static_cast<unsigned>(slot) << FootprintKinds::kBits | kind : 0;
    }
    SleepSet(unsigned note, const FootprintKinds& kinds)
        : slot_(note >> FootprintKinds::kBits),
          kinds_(kinds.independent_of(note & (FootprintKinds::kKinds - 1))) {}

    // Bit k: the steps of kind k of this slot.
    [[nodiscard]] unsigned of(std::size_t slot) const { return slot < slot_ ? kinds_ : 0; }

  private:
    std::size_t slot_;
    unsigned kinds_;
};

}  // namespace lockkeeper
