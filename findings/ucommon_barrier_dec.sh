#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libucommon-dev 7.0.1 (Debian 12; GNU uCommon, ucommon::Barrier), with g++ 12.2.
# Expected: ucommon/condition.h says that the number of threads that a barrier requires can be changed at any time,
#   that dec() reduces it, and that wait() waits "until the count of threads waiting is reached". When one of three
#   has to leave and says so by dec() the two who wait have reached the count.
# Really: dec() wakes nobody. The two sleep at a barrier that requires two, until some later thread asks: it passes
#   and lets them go. set(2) in place of dec() wakes them. The look at who waits stands in inc(), where it is no use.
# Seen: the lines at the end of this script. Controls: set(2); dec() before the two arrive.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libucommon-dev '7.0.1-*'
debian g++ '4:12.2.*'

cat >"$tmp/barrier.cpp" <<'PROGRAM'
#include <ucommon/ucommon.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

static void pause(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

template <class Leave> static void run(const char* title, bool early, Leave leave)
{
    std::puts(title);
    ucommon::Barrier barrier(3);
    std::atomic<int> passed{0};
    const auto arrive = [&] {
        barrier.wait();
        ++passed;
    };
    if (early)
        leave(barrier);
    std::thread first(arrive);
    std::thread second(arrive);
    pause(300);
    if (!early)
        leave(barrier);
    pause(1000);
    std::printf("two of two have arrived, passed within 1 s: %d\n", passed.load());
    if (passed == 0) {
        std::thread third(arrive);
        third.join();
        pause(300);
        std::printf("one more arrives, passed: %d\n", passed.load());
    }
    first.join();
    second.join();
}

int main()
{
    run("the third leaves by dec() while two wait", false, [](ucommon::Barrier& barrier) { barrier.dec(); });
    run("control: by set(2)", false, [](ucommon::Barrier& barrier) { barrier.set(2); });
    run("control: by dec(), before the two arrive", true, [](ucommon::Barrier& barrier) { barrier.dec(); });
}
PROGRAM
/usr/bin/g++ -std=c++17 -o "$tmp/barrier" "$tmp/barrier.cpp" -lucommon -pthread

as_stated 'the third leaves by dec() while two wait
two of two have arrived, passed within 1 s: 0
one more arrives, passed: 3
control: by set(2)
two of two have arrived, passed within 1 s: 2
control: by dec(), before the two arrive
two of two have arrived, passed within 1 s: 2' "$("$tmp/barrier")"
