// SPDX-License-Identifier: Apache-2.0
// A thread waits at an atomic variable for a store that is no seq_cst one. libstdc++ 12 looks who
// waits by a load that may come before that store, so the wait may be for ever, in weak memory.
// --seq-cst-headers judges the program's own code.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> ready{0};
int data = 0;

int main(int count, char**) {
    std::thread waits([] {
        ready.wait(0, std::memory_order_acquire);
        assert(data == 1);
    });
    data = 1;
    ready.store(1, std::memory_order_release);
    if (count == 1) {
        ready.notify_one();
    }
    waits.join();
}
