// SPDX-License-Identifier: Apache-2.0
// Right, too, where memory ends.
#include <mutex>
#include <new>
#include <thread>
#include <vector>

std::mutex mutex;

void use() {
    try {
        const std::lock_guard<std::mutex> guard(mutex);
        const std::vector<int> work(100);
    } catch (const std::bad_alloc&) {
    }
}

int main() {
    std::thread other(use);
    mutex.lock();
    mutex.unlock();
    other.join();
}
