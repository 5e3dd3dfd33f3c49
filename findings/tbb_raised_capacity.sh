#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libtbb-dev 2021.8.0 (Debian 12; oneTBB, concurrent_bounded_queue), with g++ 12.2.
# Expected: push() waits until there is room, and set_capacity() changes how much that is. When a queue of 1 becomes one
#   of 5 the two who wait put their items in.
# Really: set_capacity() stores the number and wakes nobody, and who waits reckons with the capacity of its arrival. The
#   two sleep beside four free places, and newcomers get in. Each pop() lets one of them in, as in a queue of 1.
# Seen: the lines at the end of this script. Controls: the capacity is raised before they come; it is 5 from the
#   beginning.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libtbb-dev '2021.8.0-*'
debian g++ '4:12.2.*'

cat >"$tmp/raised.cpp" <<'PROGRAM'
#include <oneapi/tbb/concurrent_queue.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

static void pause(int time) { std::this_thread::sleep_for(std::chrono::milliseconds(time)); }

static void run(const char* title, int first, bool before)
{
    tbb::concurrent_bounded_queue<int> queue;
    std::atomic<int> in{0};
    const auto produce = [&](int item) {
        queue.push(item);
        ++in;
    };
    queue.set_capacity(first);
    queue.push(0);
    if (before)
        queue.set_capacity(5);
    std::puts(title);
    std::thread one(produce, 1);
    pause(200);
    std::thread two(produce, 2);
    pause(300);
    queue.set_capacity(5);
    pause(1000);
    std::printf("  a second after the capacity is 5: of two producers %d got in, size %d\n", in.load(),
                static_cast<int>(queue.size()));
    std::printf("  a newcomer: %s\n", queue.try_push(3) ? "gets in" : "refused");
    for (int count = 1; count <= 2; ++count) {
        int item = 0;
        queue.pop(item);
        pause(500);
        std::printf("  after pop %d: of two producers %d got in\n", count, in.load());
    }
    one.join();
    two.join();
}

int main()
{
    run("a queue of 1 becomes one of 5 while two wait", 1, false);
    run("control: before they come", 1, true);
    run("control: a queue of 5", 5, false);
}
PROGRAM
/usr/bin/g++ -std=c++17 -o "$tmp/raised" "$tmp/raised.cpp" -ltbb -pthread

as_stated 'a queue of 1 becomes one of 5 while two wait
  a second after the capacity is 5: of two producers 0 got in, size 3
  a newcomer: gets in
  after pop 1: of two producers 1 got in
  after pop 2: of two producers 2 got in
control: before they come
  a second after the capacity is 5: of two producers 2 got in, size 3
  a newcomer: gets in
  after pop 1: of two producers 2 got in
  after pop 2: of two producers 2 got in
control: a queue of 5
  a second after the capacity is 5: of two producers 2 got in, size 3
  a newcomer: gets in
  after pop 1: of two producers 2 got in
  after pop 2: of two producers 2 got in' "$(timeout 50 "$tmp/raised")"
