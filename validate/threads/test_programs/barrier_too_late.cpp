// SPDX-License-Identifier: Apache-2.0
// Wrong: what is written behind a barrier is read behind it, too. The first run does not show it.
#include <pthread.h>

#include <atomic>
#include <thread>

pthread_barrier_t barrier;
std::atomic<bool> has_read{false};
int value = 0;

int main() {
    pthread_barrier_init(&barrier, nullptr, 2);
    std::thread other([] {
        pthread_barrier_wait(&barrier);
        if (!has_read.load()) {
            value = 1;
        }
    });
    pthread_barrier_wait(&barrier);
    const volatile int seen = value;
    static_cast<void>(seen);
    has_read.store(true);
    other.join();
}
