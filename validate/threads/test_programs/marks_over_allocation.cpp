// SPDX-License-Identifier: Apache-2.0
// Wrong: looks, then takes. Nothing is asserted: the marks alone show that three hold two places.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Limiter {
  public:
    explicit Limiter(unsigned limit) : limit_(limit) {}
    bool try_acquire() {
        if (used_.load() < limit_) {
            used_.fetch_add(1);
            return true;
        }
        return false;
    }
    void release() { used_.fetch_sub(1); }

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
}
