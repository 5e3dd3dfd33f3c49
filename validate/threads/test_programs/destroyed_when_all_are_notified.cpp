// SPDX-License-Identifier: Apache-2.0
// Right: a condition variable may be destroyed when all that wait have been notified, although they
// have not come back yet. A mutex may be given back by who was the last to lock it.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

struct Counted {
    std::mutex mutex;
    int users = 2;

    bool leave() {
        const std::lock_guard<std::mutex> lock(mutex);
        return --users == 0;
    }
};

int main() {
    std::mutex mutex;
    auto changed = std::make_unique<std::condition_variable>();
    bool waits = false;
    bool is_set = false;
    auto* counted = new Counted;
    const auto leave = [counted] {
        if (counted->leave()) {
            delete counted;
        }
    };
    std::thread other([&, leave] {
        std::unique_lock<std::mutex> lock(mutex);
        waits = true;
        if (!is_set) {
            changed->wait(lock);
        }
        lock.unlock();
        leave();
    });
    {
        const std::lock_guard<std::mutex> lock(mutex);
        is_set = true;
        if (waits) {
            changed->notify_all();
            changed.reset();
        }
    }
    leave();
    other.join();
}
