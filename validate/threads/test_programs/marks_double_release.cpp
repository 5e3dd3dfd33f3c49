// SPDX-License-Identifier: Apache-2.0
// Wrong: who gives back the last permit gives another one, as if somebody waited for it.
#include <atomic>
#include <lockkeeper/marks.hpp>
#include <thread>

class Semaphore {
  public:
    explicit Semaphore(int permits) : permits_(permits) {}
    bool try_acquire() {
        int permits = permits_.load();
        while (permits > 0) {
            if (permits_.compare_exchange_weak(permits, permits - 1)) {
                return true;
            }
        }
        return false;
    }
    void release() {
        if (permits_.fetch_add(1) == 0) {
            permits_.fetch_add(1);
        }
    }

  private:
    std::atomic<int> permits_;
};

lockkeeper::watched_semaphore<Semaphore> semaphore(1);

int main() {
    std::thread other([] {
        if (semaphore.try_acquire()) {
            semaphore.release();
        }
    });
    other.join();
    semaphore.look();
}
