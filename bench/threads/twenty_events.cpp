// SPDX-License-Identifier: Apache-2.0

// Two threads that each store and load one variable three times: runs of 21 events, for
// `lockkeeper threads`.
#include <atomic>
#include <thread>

std::atomic<int> shared{0};

void use(int first) {
    for (int round = 0; round < 3; ++round) {
        shared.store(first + round, std::memory_order_relaxed);
        static_cast<void>(shared.load(std::memory_order_relaxed));
    }
}

int main() {
    std::thread one(use, 10);
    std::thread other(use, 20);
    one.join();
    other.join();
}
