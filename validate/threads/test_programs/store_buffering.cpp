// SPDX-License-Identifier: Apache-2.0
// Both read 0: c11 with relaxed orders allows it, sc does not.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0};
std::atomic<int> y{0};

int main() {
    int first_read = 0;
    int second_read = 0;
    std::thread first([&] {
        x.store(1, std::memory_order_relaxed);
        first_read = y.load(std::memory_order_relaxed);
    });
    std::thread second([&] {
        y.store(1, std::memory_order_relaxed);
        second_read = x.load(std::memory_order_relaxed);
    });
    first.join();
    second.join();
    assert(first_read == 1 || second_read == 1);
}
