// SPDX-License-Identifier: Apache-2.0
// A spin lock of one exchange, which writes while it waits.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic_flag taken = ATOMIC_FLAG_INIT;
int counter = 0;

void count() {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
    ++counter;
    taken.clear(std::memory_order_release);
}

int main() {
    std::thread first(count);
    std::thread second(count);
    first.join();
    second.join();
    assert(counter == 2);
}
