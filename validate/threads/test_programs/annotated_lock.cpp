// SPDX-License-Identifier: Apache-2.0
// A lock that tells the sanitizer what it is, as Abseil's does. Its atomic accesses are seen all
// the same: a lock that says so and orders nothing has a data race.
#include <atomic>
#include <thread>

extern "C" {
void __tsan_mutex_pre_lock(void* lock, unsigned flags);
void __tsan_mutex_post_lock(void* lock, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void* lock, unsigned flags);
void __tsan_mutex_post_unlock(void* lock, unsigned flags);
void __tsan_acquire(void* at);
}

std::atomic<bool> locked{false};
int counted = 0;

void count(std::memory_order unlocks) {
    __tsan_mutex_pre_lock(&locked, 0);
    while (locked.exchange(true, std::memory_order_acquire)) {
    }
    __tsan_mutex_post_lock(&locked, 0, 0);
    ++counted;
    __tsan_mutex_pre_unlock(&locked, 0);
    locked.store(false, unlocks);
    __tsan_mutex_post_unlock(&locked, 0);
}

int main(int count_of_arguments, char** arguments) {
    const bool is_relaxed = count_of_arguments > 1 && arguments[1][0] == 'r';
    if (count_of_arguments > 1 && !is_relaxed) {
        __tsan_acquire(&locked);
    }
    const auto order = is_relaxed ? std::memory_order_relaxed : std::memory_order_release;
    std::thread one(count, order);
    std::thread other(count, order);
    one.join();
    other.join();
}
