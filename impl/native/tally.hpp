// SPDX-License-Identifier: Apache-2.0

// How many units of one key one holder has, and whether it is gone: the bookkeeping that the
// manager process of the published lock does, without a process. One word: the units, and the mark
// of the dead, so that "claim a unit" and "claim all that is left" exclude each other.
//
//   kept --add--> kept + 1      kept + 1 --remove--> kept      kept --close--> gone, for ever
//
// Invariant N2: each unit that add() counted is claimed exactly once, by one remove() or by
// close(); whoever claims it gives it back to the row. A second close() claims nothing.
#pragma once

#include "impl/native/native_atomics.hpp"

namespace lockkeeper::native {

template <class Atomics>
class Tally {
  public:
    static constexpr std::uint32_t kGone = 1U << 31U;

    // False: the holder is gone, and the caller keeps the claim on the unit that it has taken.
    bool add() {
        // Relaxed: a guess that the exchange checks. On success release: the take that came before
        // happens before the give-back of whoever claims this unit (N1). A failure reads nothing
        // but the word itself.
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while ((word & kGone) == 0) {
            if (word_.compare_exchange_weak(word, word + 1, std::memory_order_release,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    // False: there is nothing to claim.
    bool remove() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);  // a guess, as above
        while ((word & kGone) == 0 && word > 0) {
            // Acquire: the other half of add(), which another thread may have called. Updates
            // continue its release sequence, so this order need not contain release.
            if (word_.compare_exchange_weak(word, word - 1, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    // All that is left; 0 when it was closed before.
    std::uint32_t close() {
        // Acquire: as in remove(). What comes later reads kGone only, which carries nothing.
        const std::uint32_t word = word_.exchange(kGone, std::memory_order_acquire);
        return (word & kGone) == 0 ? word : 0;
    }

    [[nodiscard]] std::uint32_t units() const {
        return word_.load(std::memory_order_relaxed) & ~kGone;
    }

  private:
    typename Atomics::template Atomic<std::uint32_t> word_{0};
};

}  // namespace lockkeeper::native
