// SPDX-License-Identifier: Apache-2.0
// A mutex that tells the next thread that its owner has ended.
#include <pthread.h>

#include <thread>

int main() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    std::thread other([&] { pthread_mutex_lock(&mutex); });
    other.join();
    pthread_mutex_lock(&mutex);
}
