// SPDX-License-Identifier: Apache-2.0
// A limiter of two places for three threads, marked: relaxed orders are enough, for it guards no
// data.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Limiter {
  public:
    explicit Limiter(unsigned limit) : limit_(limit) {}
    bool try_acquire() {
        unsigned used = used_.load(std::memory_order_relaxed);
        while (used < limit_) {
            if (used_.compare_exchange_weak(used, used + 1, std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
    void release() { used_.fetch_sub(1, std::memory_order_relaxed); }

  private:
    unsigned limit_;
    std::atomic<unsigned> used_{0};
};

lockkeeper::watched_semaphore<Limiter> limiter(2);

void use() {
    if (limiter.try_acquire()) {
        limiter.release();
    }
}

int main() {
    std::thread first(use);
    std::thread second(use);
    use();
    first.join();
    second.join();
    limiter.look();
}
