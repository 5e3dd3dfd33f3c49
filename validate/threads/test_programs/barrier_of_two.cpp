// SPDX-License-Identifier: Apache-2.0
// Each of two passes a barrier once.
#include <pthread.h>

#include <thread>

pthread_barrier_t barrier;

int main() {
    pthread_barrier_init(&barrier, nullptr, 2);
    std::thread first([] { pthread_barrier_wait(&barrier); });
    pthread_barrier_wait(&barrier);
    first.join();
}
