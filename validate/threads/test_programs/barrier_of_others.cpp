// SPDX-License-Identifier: Apache-2.0
// Wrong: the first run has two at a barrier of two. In another run a third comes, which nobody
// waits for: a search that believed the first run would not see it.
#include <pthread.h>

#include <atomic>
#include <thread>

pthread_barrier_t barrier;
std::atomic<int> first{0};

int main() {
    pthread_barrier_init(&barrier, nullptr, 2);
    std::thread one([] {
        first.store(1);
        pthread_barrier_wait(&barrier);
    });
    std::thread two([] {
        if (first.load() == 0) {
            pthread_barrier_wait(&barrier);
        }
    });
    pthread_barrier_wait(&barrier);
    one.join();
    two.join();
}
