// SPDX-License-Identifier: Apache-2.0
// Wrong: looks at the clock itself, gives up, and leaves what it has half taken.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

std::atomic<bool> taken{false};
std::atomic<int> waiting{0};

bool try_lock_until(std::chrono::steady_clock::time_point end) {
    waiting.fetch_add(1);
    while (taken.exchange(true)) {
        if (std::chrono::steady_clock::now() >= end) {
            return false;  // is still counted as waiting
        }
    }
    waiting.fetch_sub(1);
    return true;
}

int main() {
    taken.store(true);
    std::thread other([] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
        if (try_lock_until(end)) {
            taken.store(false);
        }
    });
    taken.store(false);
    other.join();
    assert(waiting.load() == 0);
}
