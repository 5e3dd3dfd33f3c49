// SPDX-License-Identifier: Apache-2.0
// Looks again and again under a mutex.
#include <mutex>
#include <thread>

std::mutex mutex;
bool done = false;

int main() {
    std::thread waiter([] {
        while (true) {
            const std::lock_guard<std::mutex> guard(mutex);
            if (done) {
                return;
            }
        }
    });
    {
        const std::lock_guard<std::mutex> guard(mutex);
        done = true;
    }
    waiter.join();
}
