// SPDX-License-Identifier: Apache-2.0
// Unlocks what the other thread has locked.
#include <mutex>
#include <thread>

std::mutex mutex;

int main() {
    mutex.lock();
    std::thread other([] { mutex.unlock(); });
    other.join();
}
