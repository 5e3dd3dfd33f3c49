// SPDX-License-Identifier: Apache-2.0

// A ticket lock: each takes a number, and waits until it is called.
#include <atomic>
#include <cassert>
#include <thread>

class TicketLock {
  public:
    void lock() {
        const unsigned ticket = next_.fetch_add(1, std::memory_order_relaxed);
        while (called_.load(std::memory_order_acquire) != ticket) {
        }
    }
    void unlock() {
        called_.store(called_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

  private:
    std::atomic<unsigned> next_{0};
    std::atomic<unsigned> called_{0};
};

TicketLock lock;
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
