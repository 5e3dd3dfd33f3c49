// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/barriers.hpp"

#include <pthread.h>

#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

// A barrier's word where arrivals are not merged: who has arrived, and above it how often it was
// passed.
constexpr std::uint64_t kPassed = std::uint64_t{1} << 32;
Change arrive(std::uint64_t value, const void* count) {
    const std::uint64_t arrived = (value & (kPassed - 1)) + 1;
    return {Change::Way::kWrite, arrived == *static_cast<const unsigned*>(count)
                                     ? (value / kPassed + 1) * kPassed
                                     : value + 1};
}
Change await_passed(std::uint64_t value, const void* before) {
    return value / kPassed != *static_cast<const std::uint64_t*>(before) / kPassed
               ? Change{}
               : Change{Change::Way::kBlock, 0};
}

int wait_in_order(const void* barrier, unsigned count, const void* site) {
    const std::uint64_t before =
        change_word({barrier, arrive, &count, Order::kAcquireRelease, Order::kRelaxed, "arrive",
                     site, 0, false, false, ObjectUse::kEntered});
    if ((before & (kPassed - 1)) + 1 == count) {
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    // The one that is told to be the last may destroy it.
    change_word({barrier, await_passed, &before, Order::kAcquire, Order::kAcquire, "passed", site,
                 0, false, false, ObjectUse::kLeft});
    return 0;
}

// Two words of each thread, in turn, within the 32 bytes of a pthread_barrier_t: who has arrived
// for the next time has seen all others pass this time.
const void* word_of(const void* barrier, Thread thread, std::uint64_t times) {
    static_assert(sizeof(pthread_barrier_t) >= 2 * kThreadsMax);
    return static_cast<const std::byte*>(barrier) + 2 * thread + times % 2;
}

// A word of a thread: how often it has arrived, and whom it has named as the last.
constexpr std::uint64_t kTimes = 64;
Change set_word(std::uint64_t, const void* to) {
    return {Change::Way::kWrite, *static_cast<const std::uint64_t*>(to)};
}
Change await_times(std::uint64_t value, const void* times) {
    return value / kTimes == *static_cast<const std::uint64_t*>(times)
               ? Change{}
               : Change{Change::Way::kBlock, 0};
}

int wait_merged(const void* barrier, const BarrierUse& use, const void* site) {
    const Thread own = hosted->current;
    std::uint64_t times = 0;
    Thread first = 0;
    {
        const AsHost host;
        times = ++hosted->barriers.arrivals[own][barrier];
    }
    while (!use.members[first]) {
        ++first;
    }
    // The first of them says who is told to be the last.
    std::uint64_t last =
        own == first ? choose(use.count, "the last at the barrier is number", site) : 0;
    const std::uint64_t arrived = times * kTimes + last;
    change_word({word_of(barrier, own, times), set_word, &arrived, Order::kRelease, Order::kRelease,
                 "arrive", site, 0, false, false, ObjectUse::kUsed, false});
    unsigned number = 0;
    unsigned own_number = 0;
    for (Thread other = 0; other < kThreadsMax; ++other) {
        if (!use.members[other]) {
            continue;
        }
        if (other == own) {
            own_number = number;
        } else {
            const std::uint64_t seen = change_word(
                {word_of(barrier, other, times), await_times, &times, Order::kAcquire,
                 Order::kAcquire, "passed", site, 0, false, false, ObjectUse::kNone, false});
            last = other == first ? seen % kTimes : last;
        }
        ++number;
    }
    return last == own_number ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

}  // namespace

int wait_at_barrier(const void* barrier, unsigned count, const void* site) {
    using Way = Barriers::Way;
    Barriers& barriers = hosted->barriers;
    const Thread own = hosted->current;
    const BarrierUse* merged = nullptr;
    {
        const AsHost host;
        if (barriers.way == Way::kLearn) {
            BarrierUse& use = barriers.known[barrier];
            use.count = use.count == 0 || use.count == count ? count : 1;  // 1: never merged
            use.members[own] = true;
        } else if (barriers.way == Way::kMerge) {
            const auto known = barriers.known.find(barrier);
            if (known != barriers.known.end() && known->second.is_merged()) {
                merged = &known->second;
                barriers.is_wrong =
                    barriers.is_wrong || merged->count != count || !merged->members[own];
            }
        }
    }
    return merged == nullptr || barriers.is_wrong ? wait_in_order(barrier, count, site)
                                                  : wait_merged(barrier, *merged, site);
}

}  // namespace lockkeeper::threads
