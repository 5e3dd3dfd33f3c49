// SPDX-License-Identifier: Apache-2.0
// A wait that may end in time.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;

int main() {
    std::thread waiter([] {
        std::unique_lock<std::mutex> guard(mutex);
        changed.wait_for(guard, std::chrono::seconds(1), [] { return ready; });
    });
    {
        const std::lock_guard<std::mutex> guard(mutex);
        ready = true;
    }
    changed.notify_all();
    waiter.join();
}
