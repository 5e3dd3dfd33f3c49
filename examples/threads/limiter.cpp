// SPDX-License-Identifier: Apache-2.0

// A limiter that looks and takes in one step.
#include <atomic>
#include <cassert>
#include <thread>

constexpr int kLimit = 1;
std::atomic<int> in_use{0};
std::atomic<int> holders{0};

bool try_acquire() {
    int used = in_use.load();
    while (used < kLimit) {
        if (in_use.compare_exchange_weak(used, used + 1)) {
            return true;
        }
    }
    return false;
}

void use() {
    if (try_acquire()) {
        assert(holders.fetch_add(1) < kLimit);
        holders.fetch_sub(1);
        in_use.fetch_sub(1);
    }
}

int main() {
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
}
