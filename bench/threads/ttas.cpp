// SPDX-License-Identifier: Apache-2.0

// A lock that looks before it takes, and COUNT threads that each hold it once: for
// `lockkeeper threads`. relacy_ttas.cpp is the same for Relacy.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

constexpr int kCount = 3;
std::atomic<int> taken{0};
int counter = 0;

void use() {
    do {
        while (taken.load(std::memory_order_relaxed) != 0) {
        }
    } while (taken.exchange(1, std::memory_order_acquire) != 0);
    ++counter;
    taken.store(0, std::memory_order_release);
}

int main() {
    std::vector<std::thread> threads;
    for (int index = 0; index < kCount; ++index) {
        threads.emplace_back(use);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    assert(counter == kCount);
}
