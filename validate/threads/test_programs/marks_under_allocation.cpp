// SPDX-License-Identifier: Apache-2.0
// Wrong: takes first and looks then. What was refused stays counted, so that later tries are
// refused although nobody holds anything.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Limiter {
  public:
    explicit Limiter(unsigned limit) : limit_(limit) {}
    bool try_acquire() {
        if (used_.fetch_add(1) < limit_) {
            return true;
        }
        return false;  // what was added stays
    }
    void release() { used_.fetch_sub(1); }

  private:
    unsigned limit_;
    std::atomic<unsigned> used_{0};
};

lockkeeper::watched_semaphore<Limiter> limiter(1);

void use() {
    if (limiter.try_acquire()) {
        limiter.release();
    }
}

int main() {
    std::thread first(use);
    use();
    first.join();
    use();
}
