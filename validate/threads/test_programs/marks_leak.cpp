// SPDX-License-Identifier: Apache-2.0
// Wrong: a release that meets another gives up, and its place is lost. Nobody asserts anything: the
// look at rest finds fewer places than nobody holds.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Limiter {
  public:
    explicit Limiter(unsigned limit) : limit_(limit) {}
    bool try_acquire() {
        unsigned used = used_.load();
        while (used < limit_) {
            if (used_.compare_exchange_weak(used, used + 1)) {
                return true;
            }
        }
        return false;
    }
    void release() {
        unsigned used = used_.load();
        used_.compare_exchange_strong(used, used - 1);
    }

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
    std::thread other(use);
    use();
    other.join();
}
