// SPDX-License-Identifier: Apache-2.0

// Calls that are made under a lease, one inside of the other: the holder calls the first, which
// calls the second, up to three.
//
//   runs       each makes the next; the innermost writes, returns, and then the one around it
//   cancelled  the cancellation goes from the holder to the first, from there to the second ...,
//              each way a message; whoever is reached has ended, the others go on until then
//
// Invariants
//   1. Without a call all bits are 0.
//   2. Those that have ended are the outermost.
//
// One call alone has the bytes that it had before calls could make others.
#pragma once

#include <cstdint>

namespace lockkeeper::leases {

struct NestedCalls {
    static constexpr unsigned kDepthMost = 3;

    std::uint8_t bits;

    [[nodiscard]] bool any() const { return bits != 0; }
    [[nodiscard]] bool are_cancelled() const { return phase() == kCancelled; }
    // The depth of the innermost call, counted from 1.
    [[nodiscard]] unsigned depth() const { return level() + 1; }
    [[nodiscard]] bool makes_another() const { return to_make() > 0; }

    // `depth`: so many, one inside of the other; 0 is one, too.
    void begin(unsigned depth) { set(kRun, depth > 1 ? depth - 1 : 0, 0, 0); }
    void make_another() { set(phase(), to_make() - 1, level() + 1, ended()); }
    // The innermost returns. Whoever has ended does not hear of it.
    void innermost_returns() {
        if (level() <= ended()) {
            bits = 0;
        } else {
            set(phase(), 0, level() - 1, ended());
        }
    }
    void cancel() { set(kCancelled, to_make(), level(), ended()); }
    // The cancellation arrives: the outermost call that has not ended ends.
    void outermost_ends() {
        if (level() == ended()) {
            bits = 0;
        } else {
            set(phase(), to_make(), level(), ended() + 1);
        }
    }
    // No call passes the cancellation on: those that it has not reached go on.
    void forget_cancellation() {
        if (any()) {
            set(kRun, to_make(), level(), ended());
        }
    }

  private:
    static constexpr unsigned kRun = 1;
    static constexpr unsigned kCancelled = 2;

    [[nodiscard]] unsigned part(unsigned at) const { return bits >> at & 3U; }
    [[nodiscard]] unsigned phase() const { return part(0); }
    [[nodiscard]] unsigned to_make() const { return part(2); }
    [[nodiscard]] unsigned level() const { return part(4); }
    [[nodiscard]] unsigned ended() const { return part(6); }
    void set(unsigned phase, unsigned to_make, unsigned level, unsigned ended) {
        bits = static_cast<std::uint8_t>(phase | to_make << 2U | level << 4U | ended << 6U);
    }
};

}  // namespace lockkeeper::leases
