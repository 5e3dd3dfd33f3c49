// SPDX-License-Identifier: Apache-2.0

// The algorithms of this folder take their atomics as a parameter: std::atomic in a program, and
// atomics that wait for their turn where the same code is compared with the model step by step
// (native_conformance_test.cpp) or proved (scheduler/proofs). Memory orders are searched in the
// code as programs have it (threads/).
//
// An Atomics has: `Atomic<T>` with load, exchange, fetch_sub, compare_exchange_weak and the
// constructor of a value, arguments as in <atomic>; and `step(label, bucket, value)`, called right
// after the access that makes a step of impl/canal/canal_label.hpp happen, before any other access.
#pragma once

#include <atomic>
#include <cstdint>

#include "impl/canal/canal_label.hpp"

namespace lockkeeper::native {

struct StdAtomics {
    template <class T>
    using Atomic = std::atomic<T>;

    static constexpr void step(canal::At, std::uint32_t, std::int64_t) {}
};

}  // namespace lockkeeper::native
