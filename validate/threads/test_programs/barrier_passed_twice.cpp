// SPDX-License-Identifier: Apache-2.0
// Right: two pass a barrier again and again, and see what the other has done before.
#include <pthread.h>

#include <cassert>
#include <thread>

pthread_barrier_t barrier;
int value = 0;

int main() {
    pthread_barrier_init(&barrier, nullptr, 2);
    std::thread other([] {
        for (int round = 0; round < 3; ++round) {
            value += 1;
            pthread_barrier_wait(&barrier);
            pthread_barrier_wait(&barrier);
        }
    });
    for (int round = 0; round < 3; ++round) {
        pthread_barrier_wait(&barrier);
        assert(value == round + 1);
        pthread_barrier_wait(&barrier);
    }
    other.join();
}
