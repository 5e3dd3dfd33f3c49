// SPDX-License-Identifier: Apache-2.0
// Right: one place and three, what its holder may lock again, and several units at once.
#include <lockkeeper/marks.hpp>
#include <mutex>
#include <thread>

class ByMutex {
  public:
    explicit ByMutex(unsigned permits) : permits_(permits) {}
    bool try_acquire(unsigned units = 1) {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (permits_ < units) {
            return false;
        }
        permits_ -= units;
        return true;
    }
    void release(unsigned units = 1) {
        const std::lock_guard<std::mutex> guard(mutex_);
        permits_ += units;
    }

  private:
    std::mutex mutex_;
    unsigned permits_;
};

int main() {
    lockkeeper::watched_mutex<std::mutex> mutex;
    lockkeeper::watched_mutex<std::recursive_mutex> twice;
    lockkeeper::watched_semaphore<ByMutex> places(3);
    const auto use = [&] {
        twice.lock();
        twice.lock();
        twice.unlock();
        twice.unlock();
        if (mutex.try_lock()) {
            mutex.unlock();
        }
        lockkeeper::acquiring(&places, 3, 2);
        if (places.watched().try_acquire(2)) {
            lockkeeper::acquired(&places);
            lockkeeper::releasing(&places);
            places.watched().release(2);
            lockkeeper::released(&places);
        } else {
            lockkeeper::refused(&places);
        }
    };
    std::thread other(use);
    use();
    other.join();
}
