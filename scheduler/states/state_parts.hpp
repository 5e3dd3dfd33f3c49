// SPDX-License-Identifier: Apache-2.0

// Where the parts of a State lie and how long they are: constants of a System that
// is compiled alone, asked once of an ErasedSystem. Used by StateCodec.
#pragma once

#include <algorithm>
#include <cstddef>

#include "model/system.hpp"
#include "scheduler/states/words.hpp"

namespace lockkeeper {

template <System S, Hints::Parts = kHintsOf<S>.parts>
class StateParts;

template <System S>
class StateParts<S, Hints::Parts::kCompiled> {
  public:
    using Slot = ShortBytes<S::parts().slot_bytes>;
    using Shared = ShortBytes<S::parts().shared_bytes>;
    using Tail = ShortBytes<sizeof(typename S::State) - S::kSlotsMax * S::parts().slot_bytes -
                            S::parts().shared_bytes>;

    explicit StateParts(const S&) {}

    [[nodiscard]] static constexpr Slot slot() { return {}; }
    [[nodiscard]] static constexpr Shared shared() { return {}; }
    [[nodiscard]] static constexpr Tail tail() { return {}; }
    [[nodiscard]] static constexpr std::size_t shared_at() {
        return S::kSlotsMax * S::parts().slot_bytes;
    }
    [[nodiscard]] static constexpr std::size_t tail_at() {
        return shared_at() + S::parts().shared_bytes;
    }
};

template <System S>
class StateParts<S, Hints::Parts::kAtRunTime> {
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

template <System S>
[[nodiscard]] bool has_local_steps([[maybe_unused]] const S& system) {
    if constexpr (kHintsOf<S>.local_steps) {
        return system.has_local_steps();
    }
    return false;
}

}  // namespace lockkeeper
