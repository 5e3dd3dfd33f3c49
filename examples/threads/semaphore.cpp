// SPDX-License-Identifier: Apache-2.0

// A counting semaphore of a mutex and a condition variable, with one permit for two threads.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Semaphore {
  public:
    explicit Semaphore(int permits) : permits_(permits) {}

    void acquire() {
        std::unique_lock<std::mutex> guard(mutex_);
        while (permits_ == 0) {
            returned_.wait(guard);
        }
        --permits_;
    }
    void release() {
        const std::lock_guard<std::mutex> guard(mutex_);
        ++permits_;
        returned_.notify_one();
    }

  private:
    std::mutex mutex_;
    std::condition_variable returned_;
    int permits_;
};

Semaphore semaphore(1);
int inside = 0;

void use() {
    semaphore.acquire();
    ++inside;
    assert(inside == 1);
    --inside;
    semaphore.release();
}

int main() {
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
}
