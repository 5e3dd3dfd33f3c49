// SPDX-License-Identifier: Apache-2.0
// Wrong: two threads see that the lock is free, and both take it. Marks alone say so: no data is
// guarded, and nothing is asserted.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Lock {
  public:
    void lock() {
        while (taken_.load() != 0) {
        }
        taken_.store(1);
    }
    void unlock() { taken_.store(0); }

  private:
    std::atomic<int> taken_{0};
};

int main() {
    lockkeeper::watched_mutex<Lock> lock;
    const auto use = [&] {
        lock.lock();
        lock.unlock();
    };
    std::thread other(use);
    use();
    other.join();
}
