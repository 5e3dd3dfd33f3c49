#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libucommon-dev 7.0.1 (Debian 12; GNU uCommon, ucommon::Semaphore), with g++ 12.2.
# Expected: ucommon/condition.h says that the limit of a semaphore can be altered while threads use it, and that
#   wait() waits "until the semaphore usage count is less than the thread limit". After set(1) nobody gets in while
#   somebody holds.
# Really: a release wakes a waiter without a look at the limit, and wait() does not look either when it was woken: it
#   takes its place beside the two holders who are left, 3 of 1. It is the same for who asks when the limit is 1
#   already. The wait with a time-out looks again, so that the two forms of one call keep different limits.
# Seen: the lines at the end of this script. Controls: the waiter waits with a time-out; the limit is not altered.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libucommon-dev '7.0.1-*'
debian g++ '4:12.2.*'

cat >"$tmp/lowered.cpp" <<'PROGRAM'
#include <ucommon/ucommon.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }

enum class Case { waits, asks_later, waits_with_time_out, limit_stays };

// Three hold the three places. One waits for a place. The limit becomes 1, and the holders leave until it gets in.
static void run(const char* title, Case how)
{
    std::puts(title);
    ucommon::Semaphore semaphore(3);
    for (int i = 0; i < 3; ++i)
        semaphore.wait();
    std::atomic<int> holders{3};
    std::atomic<bool> waiter_holds{false};
    std::thread waiter;
    const auto start_waiter = [&] {
        waiter = std::thread([&] {
            if (how == Case::waits_with_time_out)
                semaphore.wait(20000);
            else
                semaphore.wait();
            ++holders;
            waiter_holds = true;
        });
        settle();
    };
    if (how != Case::asks_later)
        start_waiter();
    const int limit = how == Case::limit_stays ? 3 : 1;
    if (limit == 1)
        semaphore.set(1);
    if (how == Case::asks_later)
        start_waiter();
    std::printf("3 hold, 1 waits, the limit is %d\n", limit);
    for (int left = 0; left < 3 && !waiter_holds; ++left) {
        --holders;
        semaphore.release();
        settle();
        std::printf("one of the three leaves: %d of %d in use, the waiter %s\n", holders.load(), limit,
                    waiter_holds ? "holds" : "waits");
    }
    waiter.join();
}

int main()
{
    run("it waits, then the limit is lowered", Case::waits);
    run("the limit is lowered, then it waits", Case::asks_later);
    run("control: it waits with a time-out", Case::waits_with_time_out);
    run("control: the limit stays", Case::limit_stays);
}
PROGRAM
/usr/bin/g++ -std=c++17 -o "$tmp/lowered" "$tmp/lowered.cpp" -lucommon -pthread

as_stated 'it waits, then the limit is lowered
3 hold, 1 waits, the limit is 1
one of the three leaves: 3 of 1 in use, the waiter holds
the limit is lowered, then it waits
3 hold, 1 waits, the limit is 1
one of the three leaves: 3 of 1 in use, the waiter holds
control: it waits with a time-out
3 hold, 1 waits, the limit is 1
one of the three leaves: 2 of 1 in use, the waiter waits
one of the three leaves: 1 of 1 in use, the waiter waits
one of the three leaves: 1 of 1 in use, the waiter holds
control: the limit stays
3 hold, 1 waits, the limit is 3
one of the three leaves: 3 of 3 in use, the waiter holds' "$("$tmp/lowered")"
