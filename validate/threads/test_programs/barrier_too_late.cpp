// SPDX-License-Identifier: Apache-2.0
// Wrong: what is written behind a barrier is read behind it, too.
#include <pthread.h>

#include <thread>

pthread_barrier_t barrier;
int value = 0;

int main() {
    pthread_barrier_init(&barrier, nullptr, 2);
    std::thread other([] {
        pthread_barrier_wait(&barrier);
        value = 1;
    });
    pthread_barrier_wait(&barrier);
    const volatile int seen = value;
    static_cast<void>(seen);
    other.join();
}
