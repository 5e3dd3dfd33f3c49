// SPDX-License-Identifier: Apache-2.0

// Records of states that have no parts: their bytes, those of the representative under symmetry.
// The general case of StateCodec; state_codec.hpp has the one for states made of parts.
#pragma once

#include <cstring>

#include "model/system.hpp"
#include "scheduler/base/checkpoint.hpp"
#include "scheduler/states/record_shape.hpp"
#include "scheduler/states/tail_order.hpp"

namespace lockkeeper {

template <System S>
class StateCodec {
  public:
    using State = typename S::State;

    // Has no tails.
    StateCodec(const S& system, bool symmetry, bool /*orders_tails*/ = false)
        : system_(system), symmetry_(symmetry) {}
    [[nodiscard]] const TailOrder& tails() const { return no_tails_; }
    void order_tails(const S&) {}

    [[nodiscard]] RecordShape shape() const {
        return {(state_bytes() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), false};
    }
    void make_room() {}
    [[nodiscard]] std::size_t bytes() const { return 0; }
    // Bytes that are not stored are zero in every state; `state` has been zero or unpacked before.
    void unpack(const std::uint64_t* record, State& state) const {
        std::memcpy(static_cast<void*>(&state), record, state_bytes());
    }
    void add(const State& state, std::uint64_t* record) { represent(state, record); }
    // There is nothing to look up.
    struct Coming {};
    static void start(const State&, const std::uint64_t*, const State&, Coming&) {}
    static void look_ahead(const Coming&) {}
    [[nodiscard]] bool finish(const Coming&, const State& after, std::uint64_t* record) const {
        represent(after, record);
        return true;
    }
    void add(const Coming&, const State& after, std::uint64_t* record) { represent(after, record); }
    static void prefetch_parts(const std::uint64_t*) {}
    [[nodiscard]] bool find(const State& state, std::uint64_t* record) const {
        represent(state, record);
        return true;
    }
    // The same, of the state itself instead of its representative.
    [[nodiscard]] bool find_itself(const State& state, std::uint64_t* record) const {
        record[shape().words - 1] = 0;
        std::memcpy(record, &state, state_bytes());
        return true;
    }
    [[nodiscard]] bool is_wide() const { return false; }
    [[nodiscard]] bool sorts() const { return kHintsOf<S>.symmetry && symmetry_; }
    void save(CheckpointWriter&) const {}
    void load(CheckpointReader&) {}

  private:
    void represent(const State& state, std::uint64_t* record) const {
        if constexpr (kHintsOf<S>.symmetry) {
            if (symmetry_) {
                State sorted;
                std::memcpy(static_cast<void*>(&sorted), &state, state_bytes());
                system_.canonicalize(sorted);
                static_cast<void>(find_itself(sorted, record));
                return;
            }
        }
        static_cast<void>(find_itself(state, record));
    }
    [[nodiscard]] std::size_t state_bytes() const { return used_bytes_of(system_); }

    const S& system_;
    bool symmetry_;
    TailOrder no_tails_;
};

}  // namespace lockkeeper
