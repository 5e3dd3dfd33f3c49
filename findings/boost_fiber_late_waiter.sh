#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libboost-fiber1.74-dev 1.74.0 (Debian 12; Boost.Fiber), with g++ 12.2.
# Expected: the manual says that timed_mutex::try_lock_for() returns false when the time is over, and that
#   lock() waits until it gets the mutex. So when the holder unlocks and the time of the first waiter is over, it
#   goes to the next one.
# Really: unlock() takes the first waiter out of the queue. That waiter looks at the clock first, says no and
#   tells nobody. The next one sleeps beside a mutex that is free and that each newcomer gets, until a newcomer unlocks.
#   It needs no second thread: a fiber that works for longer than the waiter's time before it unlocks is enough.
# Seen: the lines at the end of this script. Controls: the first waiter's time is long enough; its time is over
#   before the holder unlocks, and the scheduler has run in between.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libboost-fiber1.74-dev '1.74.0+*'
debian libboost1.74-dev '1.74.0+*'
debian g++ '4:12.2.*'

cat >"$tmp/late.cpp" <<'PROGRAM'
#include <boost/fiber/all.hpp>

#include <chrono>
#include <cstdio>
#include <thread>

namespace fibers = boost::fibers;
using namespace std::chrono_literals;

// The holder works for 0.3 s, with or without letting the other fibers run meanwhile.
template <class Mutex> static void run(const char* title, std::chrono::milliseconds time, bool lets_others_run)
{
    std::puts(title);
    Mutex mutex;
    bool second_has = false;
    mutex.lock();
    fibers::fiber first([&] {
        const bool got = mutex.try_lock_for(time);
        std::printf("the first waiter is told %s\n", got ? "yes" : "no");
        if (got)
            mutex.unlock();
    });
    fibers::fiber second([&] {
        mutex.lock();
        second_has = true;
        mutex.unlock();
    });
    boost::this_fiber::sleep_for(20ms);
    if (lets_others_run)
        boost::this_fiber::sleep_for(300ms);
    else
        std::this_thread::sleep_for(300ms);
    mutex.unlock();
    boost::this_fiber::sleep_for(1s);
    std::printf("1 s after the release the second waiter %s\n", second_has ? "was served" : "sleeps");
    if (mutex.try_lock()) {
        std::puts("a newcomer gets the mutex");
        mutex.unlock();
    }
    const bool slept = !second_has;
    second.join();
    if (slept)
        std::puts("the newcomer unlocks, the second waiter is served");
    first.join();
}

int main()
{
    run<fibers::timed_mutex>("timed_mutex, the first waiter has 0.1 s", 100ms, false);
    run<fibers::recursive_timed_mutex>("recursive_timed_mutex, the first waiter has 0.1 s", 100ms, false);
    run<fibers::timed_mutex>("control: the first waiter has 10 s", 10s, false);
    run<fibers::timed_mutex>("control: the holder lets others run before it unlocks", 100ms, true);
}
PROGRAM
/usr/bin/g++ -std=c++17 -o "$tmp/late" "$tmp/late.cpp" -lboost_fiber -lboost_context -pthread

as_stated 'timed_mutex, the first waiter has 0.1 s
the first waiter is told no
1 s after the release the second waiter sleeps
a newcomer gets the mutex
the newcomer unlocks, the second waiter is served
recursive_timed_mutex, the first waiter has 0.1 s
the first waiter is told no
1 s after the release the second waiter sleeps
a newcomer gets the mutex
the newcomer unlocks, the second waiter is served
control: the first waiter has 10 s
the first waiter is told yes
1 s after the release the second waiter was served
a newcomer gets the mutex
control: the holder lets others run before it unlocks
the first waiter is told no
1 s after the release the second waiter was served
a newcomer gets the mutex' "$("$tmp/late")"
