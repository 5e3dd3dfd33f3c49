// SPDX-License-Identifier: Apache-2.0
// Wrong where memory ends: the lock is not given back when the allocation throws.
#include <mutex>
#include <new>
#include <thread>
#include <vector>

std::mutex mutex;

void use() {
    try {
        mutex.lock();
        const std::vector<int> work(100);
        mutex.unlock();
    } catch (const std::bad_alloc&) {
    }
}

int main() {
    std::thread other(use);
    mutex.lock();
    mutex.unlock();
    other.join();
}
