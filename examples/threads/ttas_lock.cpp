// SPDX-License-Identifier: Apache-2.0

// A spin lock that looks before it takes, and two threads that share a counter under it.
#include <atomic>
#include <cassert>
#include <thread>

class TtasLock {
  public:
    void lock() {
        do {
            while (taken_.load(std::memory_order_relaxed)) {
            }
        } while (taken_.exchange(true, std::memory_order_acquire));
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> taken_{false};
};

TtasLock lock;
int counter = 0;

void count() {
    lock.lock();
    ++counter;
    lock.unlock();
}

int main() {
    std::thread first(count);
    std::thread second(count);
    first.join();
    second.join();
    assert(counter == 2);
}
