// SPDX-License-Identifier: Apache-2.0
// A weak compare-exchange may fail although the value is the expected one: a single try is no lock.
// In a loop that does not matter.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> once{0};
std::atomic<int> counted{0};

void use(bool is_loop) {
    int expected = 0;
    if (!is_loop) {
        once.compare_exchange_weak(expected, 1);
        return;
    }
    while (!counted.compare_exchange_weak(expected, expected + 1)) {
    }
}

int main(int count, char**) {
    std::thread one(use, count == 1);
    std::thread other(use, count == 1);
    one.join();
    other.join();
    assert(once.load() == (count == 1 ? 0 : 1));
    assert(counted.load() == (count == 1 ? 2 : 0));
}
