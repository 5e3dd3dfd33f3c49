// SPDX-License-Identifier: Apache-2.0
// Right: a mutex of the kind that tells its user of mistakes.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <thread>

pthread_mutex_t mutex;

int main() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    std::thread other([] {
        if (pthread_mutex_lock(&mutex) == 0) {
            pthread_mutex_unlock(&mutex);
        }
    });
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == EDEADLK);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    assert(pthread_mutex_unlock(&mutex) == 0);
    other.join();
}
