// SPDX-License-Identifier: Apache-2.0
// Wrong: of two limiters, one after the other at the same place of the stack, the first loses a
// place.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

bool is_first = true;

class Limiter {
  public:
    explicit Limiter(unsigned limit) : left_(static_cast<int>(limit)) {}
    bool try_acquire() {
        int left = left_.load();
        while (left > 0) {
            if (left_.compare_exchange_weak(left, left - 1)) {
                return true;
            }
        }
        return false;
    }
    void release() { left_.fetch_add(is_first ? 0 : 1); }

  private:
    std::atomic<int> left_;
};

int main() {
    for (int round = 0; round < 2; ++round) {
        lockkeeper::watched_semaphore<Limiter> limiter(3);
        std::thread other([&] {
            if (limiter.try_acquire()) {
                limiter.release();
            }
        });
        other.join();
        is_first = false;
    }
}
