// SPDX-License-Identifier: Apache-2.0
// Each of five passes a barrier once, behind a store that all others then see. One is told that it
// was the last.
#include <pthread.h>

#include <cassert>
#include <thread>
#include <vector>

pthread_barrier_t barrier;
int values[5];
bool was_last[5];

void pass(int own) {
    values[own] = 1;
    was_last[own] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    for (const int value : values) {
        assert(value == 1);
    }
}

int main() {
    pthread_barrier_init(&barrier, nullptr, 5);
    std::vector<std::thread> others;
    for (int own = 1; own < 5; ++own) {
        others.emplace_back(pass, own);
    }
    pass(0);
    for (std::thread& other : others) {
        other.join();
    }
    int count = 0;
    for (const bool one : was_last) {
        count += one ? 1 : 0;
    }
    assert(count == 1);
}
