// SPDX-License-Identifier: Apache-2.0

// Wrong: the waiter is notified before what it waits for is so, and without the mutex. It looks, is
// not yet waiting when the notification comes, and waits for ever.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;

int main() {
    std::thread waiter([] {
        std::unique_lock<std::mutex> guard(mutex);
        changed.wait(guard, [] { return ready; });
    });
    changed.notify_one();
    {
        const std::lock_guard<std::mutex> guard(mutex);
        ready = true;
    }
    waiter.join();
}
