// SPDX-License-Identifier: Apache-2.0

// Wrong: a limiter that looks whether there is room, and then takes it. Both steps are atomic, but
// another thread comes between them.
#include <atomic>
#include <cassert>
#include <thread>

constexpr int kLimit = 1;
std::atomic<int> in_use{0};

bool try_acquire() {
    if (in_use.load() < kLimit) {
        in_use.fetch_add(1);
        return true;
    }
    return false;
}

void use() {
    if (try_acquire()) {
        assert(in_use.load() <= kLimit);
        in_use.fetch_sub(1);
    }
}

int main() {
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
}
