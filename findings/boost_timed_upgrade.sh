#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libboost1.74-dev 1.74.0 (Debian 12; Boost.Interprocess), with g++ 12.2.
# Expected: the manual of upgradable mutexes says that readers share the lock with the holder of the upgradable lock. So
#   when timed_unlock_upgradable_and_lock() has given up and says so, a reader who waits gets in.
# Really: nobody wakes it. It sleeps beside a lock that each newcomer gets, until its time is over or the upgradable
#   lock is given back; it is granted at the very end of its time. Giving up restores the state and tells nobody.
# Seen: the lines at the end of this script. Controls: nobody upgrades; a writer of timed_lock() gives up, which wakes
#   the reader.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libboost1.74-dev '1.74.0+*'
debian g++ '4:12.2.*'

cat >"$tmp/upgrade.cpp" <<'PROGRAM'
#include <boost/date_time/posix_time/posix_time_types.hpp>
#include <boost/interprocess/sync/interprocess_upgradable_mutex.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

using Mutex = boost::interprocess::interprocess_upgradable_mutex;
using boost::posix_time::microsec_clock;
using boost::posix_time::milliseconds;
using Clock = std::chrono::steady_clock;

static boost::posix_time::ptime in(int time) { return microsec_clock::universal_time() + milliseconds(time); }
static void pause(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

// One reader holds all the time. While somebody asks for the whole lock for 1 s a second reader asks for 6 s; after
// that a newcomer asks without waiting.
template <class Ask> static void run(const char* title, bool upgradable, Ask ask)
{
    Mutex mutex;
    std::atomic<bool> began{false}, over{false};
    std::thread first([&] {
        mutex.lock_sharable();
        began = true;
        while (!over)
            pause(10);
        mutex.unlock_sharable();
    });
    while (!began)
        pause(10);
    if (upgradable)
        mutex.lock_upgradable();
    std::atomic<bool> granted{false};
    Clock::duration waited{};
    std::thread second([&] {
        pause(400);
        const auto asked = Clock::now();
        granted = mutex.timed_lock_sharable(in(6000));
        waited = Clock::now() - asked;
    });
    const bool whole = ask(mutex);
    pause(1000);
    const bool reads = granted;
    const bool newcomer = mutex.try_lock_sharable();
    if (newcomer)
        mutex.unlock_sharable();
    second.join();
    over = true;
    first.join();
    if (upgradable)
        mutex.unlock_upgradable();
    std::printf("%s: %s; then the second reader %s, a newcomer %s; told %s %s\n", title,
        whole ? "granted" : "refused", reads ? "reads" : "sleeps", newcomer ? "reads" : "is refused",
        granted ? "yes" : "no", waited < std::chrono::seconds(4) ? "in time" : "when its 6 s were over");
}

int main()
{
    run("timed upgrade", true, [](Mutex& it) { return it.timed_unlock_upgradable_and_lock(in(1000)); });
    run("control, nobody upgrades", true, [](Mutex&) { pause(1000); return false; });
    run("control, timed_lock", false, [](Mutex& it) { return it.timed_lock(in(1000)); });
}
PROGRAM

/usr/bin/g++ -std=c++17 -O0 -o "$tmp/upgrade" "$tmp/upgrade.cpp" -lpthread -lrt
as_stated 'timed upgrade: refused; then the second reader sleeps, a newcomer reads; told yes when its 6 s were over
control, nobody upgrades: refused; then the second reader reads, a newcomer reads; told yes in time
control, timed_lock: refused; then the second reader reads, a newcomer reads; told yes in time' "$("$tmp/upgrade")"
