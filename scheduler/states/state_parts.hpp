// Where the parts of a State lie and how long they are: constants of a PartedSystem, asked once of
// a RuntimePartedSystem. Used by StateCodec.
#pragma once

#include <algorithm>
#include <cstddef>

#include "model/system.hpp"
#include "scheduler/states/words.hpp"

namespace lockkeeper {

template <class S>
concept SystemOfParts = PartedSystem<S> || RuntimePartedSystem<S>;

template <SystemOfParts S>
class StateParts;

template <PartedSystem S>
class StateParts<S> {
  public:
    using Slot = ShortBytes<S::kSlotBytes>;
    using Shared = ShortBytes<S::kSharedBytes>;
    using Tail =
        ShortBytes<sizeof(typename S::State) - S::kSlotsMax * S::kSlotBytes - S::kSharedBytes>;

    explicit StateParts(const S&) {}

    [[nodiscard]] static constexpr Slot slot() { return {}; }
    [[nodiscard]] static constexpr Shared shared() { return {}; }
    [[nodiscard]] static constexpr Tail tail() { return {}; }
    [[nodiscard]] static constexpr std::size_t shared_at() { return S::kSlotsMax * S::kSlotBytes; }
    [[nodiscard]] static constexpr std::size_t tail_at() { return shared_at() + S::kSharedBytes; }
};

template <RuntimePartedSystem S>
class StateParts<S> {
  public:
    using Slot = LongBytes;
    using Shared = LongBytes;
    using Tail = LongBytes;

    explicit StateParts(const S& system)
        : layout_(system.parts()), used_bytes_(system.used_bytes()) {}

    [[nodiscard]] Slot slot() const { return LongBytes(layout_.slot_bytes); }
    [[nodiscard]] Shared shared() const { return LongBytes(layout_.shared_bytes); }
    [[nodiscard]] Tail tail() const { return LongBytes(used_bytes_ - tail_at()); }
    [[nodiscard]] std::size_t shared_at() const { return layout_.slots_max * layout_.slot_bytes; }
    [[nodiscard]] std::size_t tail_at() const { return shared_at() + layout_.shared_bytes; }

  private:
    PartLayout layout_;
    std::size_t used_bytes_;
};

}  // namespace lockkeeper
