// SPDX-License-Identifier: Apache-2.0

// The three operations on one key by one holder, written once for both rows: acquire, release, and
// what is done for a holder that crashed. Called by native_lock.hpp, and by the tests that bring
// atomics of their own.
//
// Invariant N3 (TotalRow): a row counts at least what all tallies together do, at every moment,
// because a unit is taken from the row before it is tallied, and claimed from the tally before it
// is given back; and exactly that when nobody is inside a call (N2). So nothing is over-allocated
// and nothing leaks, whenever a crash is reported.
//
// BucketRow keeps the published order, which gives back first and tells the manager then: a crash
// reported in between gives the unit back twice.
//
// A holder is a name in the program's own books (a connection, a session, a worker); its thread may
// go on running after the crash is reported, and is refused then. A thread cannot vanish between
// two accesses of these functions: they call nothing that throws or is cancelled (asynchronous
// pthread_cancel is not supported), and the memory is the process's own.
#pragma once

#include "impl/native/native_types.hpp"
#include "impl/native/tally.hpp"

namespace lockkeeper::native {

template <class Atomics, class Row>
Acquired acquire_unit(Row& row, Tally<Atomics>& tally, View view) {
    const Acquired taken = row.take(view);
    if (taken.status == AcquireStatus::kAcquired && !tally.add()) {
        row.give_back(view.max_per);
        return {AcquireStatus::kHolderGone, 0};
    }
    return taken;
}

template <class Atomics, class Row>
ReleaseStatus release_unit(Row& row, Tally<Atomics>& tally, std::uint32_t max_per) {
    if constexpr (Row::kClaimsFirst) {
        if (!tally.remove()) {
            Atomics::step(canal::At::kGiveBack, 0, -1);
            return ReleaseStatus::kNotHeld;
        }
        return row.give_back(max_per);
    } else {
        const ReleaseStatus status = row.give_back(max_per);
        if (status == ReleaseStatus::kReleased) {
            tally.remove();  // nothing there: logged as unexpected_unlock
        }
        return status;
    }
}

// How many units were given back. May be called again, and while the holder is inside a call.
template <class Atomics, class Row>
std::uint32_t give_back_for_the_dead(Row& row, Tally<Atomics>& tally) {
    const std::uint32_t units = tally.close();
    for (std::uint32_t i = 0; i < units; ++i) {
        row.give_back(row.manager_max_per());
    }
    return units;
}

}  // namespace lockkeeper::native
