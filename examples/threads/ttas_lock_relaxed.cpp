// SPDX-License-Identifier: Apache-2.0

// Wrong: unlock is relaxed, so the next holder does not see what this one wrote. Only a weak memory
// model shows it: with --model sc the same program passes.
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
    void unlock() { taken_.store(false, std::memory_order_relaxed); }

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
