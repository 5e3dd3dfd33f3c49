// SPDX-License-Identifier: Apache-2.0
// Wrong: the last of three places is never given.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Limiter {
  public:
    explicit Limiter(unsigned limit) : limit_(limit) {}
    bool try_acquire() {
        unsigned used = used_.load();
        while (used + 1 < limit_) {
            if (used_.compare_exchange_weak(used, used + 1)) {
                return true;
            }
        }
        return false;
    }
    void release() { used_.fetch_sub(1); }

  private:
    unsigned limit_;
    std::atomic<unsigned> used_{0};
};

int main() {
    lockkeeper::watched_semaphore<Limiter> limiter(3);
    const auto use = [&] {
        if (limiter.try_acquire()) {
            limiter.release();
        }
    };
    std::thread first(use);
    std::thread second(use);
    use();
    first.join();
    second.join();
}
