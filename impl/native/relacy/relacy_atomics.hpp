// SPDX-License-Identifier: Apache-2.0

// The Atomics (native_atomics.hpp) that Relacy searches: who goes on before each access, which of
// the last values a load sees that its memory order allows, and whether a weak exchange fails for
// nothing. Included once, last, by each executable of this folder, because Relacy redefines the
// names that are undefined here.
//
// Limits of Relacy: an atomic remembers its last three values; a weak exchange of one atomic fails
// for nothing once in an execution; read-modify-writes happen in the order of the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <relacy/relacy.hpp>

#include "impl/canal/canal_label.hpp"
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst

namespace lockkeeper::native {

// The orders of the code, or the same with one order made relaxed, to show that it is needed.
enum class Orders : std::uint8_t { kAsWritten, kNoAcquire, kNoRelease };

template <Orders OrdersKept>
struct RelacyAtomicsWith {
    static constexpr rl::memory_order order(std::memory_order wanted) {
        if ((OrdersKept == Orders::kNoAcquire && wanted == std::memory_order_acquire) ||
            (OrdersKept == Orders::kNoRelease && wanted == std::memory_order_release)) {
            return rl::mo_relaxed;
        }
        switch (wanted) {
            case std::memory_order_relaxed: return rl::mo_relaxed;
            case std::memory_order_consume: return rl::mo_consume;
            case std::memory_order_acquire: return rl::mo_acquire;
            case std::memory_order_release: return rl::mo_release;
            case std::memory_order_acq_rel: return rl::mo_acq_rel;
            case std::memory_order_seq_cst: break;
        }
        return rl::mo_seq_cst;
    }

    template <class T>
    class Atomic {
      public:
        Atomic() : Atomic(T{}) {}
        // Relaxed, as an initialisation is: whoever is told of the object is told with order.
        explicit Atomic(T value) { atomic_.store(value, rl::mo_relaxed, $); }

        T load(std::memory_order wanted = std::memory_order_seq_cst) const {
            return atomic_.load(order(wanted), $);
        }
        void store(T value, std::memory_order wanted = std::memory_order_seq_cst) {
            atomic_.store(value, order(wanted), $);
        }
        T exchange(T value, std::memory_order wanted) {
            return atomic_.exchange(value, order(wanted), $);
        }
        T fetch_sub(T value, std::memory_order wanted) {
            return atomic_.fetch_sub(value, order(wanted), $);
        }
        bool compare_exchange_weak(T& expected, T desired,
                                   std::memory_order success = std::memory_order_seq_cst,
                                   std::memory_order failure = std::memory_order_seq_cst) {
            return atomic_.compare_exchange_weak(expected, desired, order(success), $,
                                                 order(failure), $);
        }

      private:
        rl::atomic<T> atomic_;
    };

    // Memory that is no atomic: two accesses without order, one of them a write, are a data race.
    template <class T>
    class Plain {
      public:
        explicit Plain(T value) { *this = value; }
        Plain& operator=(T value) {
            value_($) = value;
            return *this;
        }
        // NOLINTNEXTLINE(google-explicit-constructor): it is used like a T
        operator T() const { return value_($); }

      private:
        mutable rl::var<T> value_;
    };

    static void step(canal::At, std::uint32_t, std::int64_t) {}
};

using RelacyAtomics = RelacyAtomicsWith<Orders::kAsWritten>;

}  // namespace lockkeeper::native
