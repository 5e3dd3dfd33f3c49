#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libboost-thread1.74-dev 1.74.0 (Debian 12; Boost.Thread), with g++ 12.2.
# Expected: the manual says that try_unlock_upgrade_and_lock_for() of a shared_mutex waits until it can have the lock
#   alone, at most for its time. So when the last reader leaves after 0.3 s it comes back with true after 0.3 s.
# Really: only the last one who leaves wakes somebody, and the upgrader counts as a reader itself. It sleeps beside a
#   lock that it could have, through all of its 3 s, and then it is told true. Whether it gets the lock depends on who
#   reads at that instant: after a second reader it is told false, although nobody read for two seconds of three.
# Seen: the lines at the end of this script. Controls: unlock_upgrade_and_lock(), which has no time and is woken; asking
#   again and again without waiting; a writer of try_lock_for().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libboost-thread1.74-dev '1.74.0+*'
debian g++ '4:12.2.*'

cat >"$tmp/late.cpp" <<'PROGRAM'
#include <boost/chrono.hpp>
#include <boost/thread/shared_mutex.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

using Mutex = boost::shared_mutex;
using Clock = std::chrono::steady_clock;

static void pause(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }
static const boost::chrono::milliseconds limit(3000);

// A reader is there when somebody asks for the lock alone, and leaves 0.3 s later. With `second` another one reads from
// 2.3 s to 4.3 s. Nobody else has the lock from 0.3 s on.
template <class Ask> static void run(const char* title, bool upgrades, bool second, Ask ask)
{
    Mutex mutex;
    if (upgrades)
        mutex.lock_upgrade();
    std::atomic<bool> reads{false};
    std::thread readers([&] {
        mutex.lock_shared();
        reads = true;
        pause(300);
        mutex.unlock_shared();
        if (!second)
            return;
        pause(2000);
        mutex.lock_shared();
        pause(2000);
        mutex.unlock_shared();
    });
    while (!reads)
        pause(1);
    const auto asked = Clock::now();
    const bool granted = ask(mutex);
    const auto waited = Clock::now() - asked;
    std::printf("%s: %s %s\n", title, granted ? "true" : "false",
        waited < std::chrono::seconds(2) ? "when the reader left" : "when its 3 s were over");
    if (granted)
        mutex.unlock();
    else if (upgrades)
        mutex.unlock_upgrade();
    readers.join();
}

static bool alone_for(Mutex& mutex) { return mutex.try_unlock_upgrade_and_lock_for(limit); }

static bool alone(Mutex& mutex)
{
    mutex.unlock_upgrade_and_lock();
    return true;
}

static bool asks_often(Mutex& mutex)
{
    for (int tries = 0; tries < 300; tries++) {
        if (mutex.try_unlock_upgrade_and_lock())
            return true;
        pause(10);
    }
    return false;
}

int main()
{
    run("timed upgrade, one reader", true, false, alone_for);
    run("timed upgrade, two readers one after the other", true, true, alone_for);
    run("control, upgrade without a time", true, false, alone);
    run("control, asks often", true, false, asks_often);
    run("control, try_lock_for", false, false, [](Mutex& mutex) { return mutex.try_lock_for(limit); });
}
PROGRAM

/usr/bin/g++ -std=c++17 -O0 -o "$tmp/late" "$tmp/late.cpp" -lboost_thread -lboost_chrono -lboost_system -lpthread
as_stated 'timed upgrade, one reader: true when its 3 s were over
timed upgrade, two readers one after the other: false when its 3 s were over
control, upgrade without a time: true when the reader left
control, asks often: true when the reader left
control, try_lock_for: true when the reader left' "$("$tmp/late")"
