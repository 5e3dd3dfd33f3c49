// SPDX-License-Identifier: Apache-2.0
// Wrong: the waiter deletes the event as soon as it is set, and the other thread notifies behind
// the lock.
#include <condition_variable>
#include <mutex>
#include <thread>

struct Event {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_set = false;

    void set() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            is_set = true;
        }
        changed.notify_one();
    }
    void wait() {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return is_set; });
    }
};

int main() {
    auto* event = new Event;
    std::thread other([event] { event->set(); });
    event->wait();
    delete event;
    other.join();
}
