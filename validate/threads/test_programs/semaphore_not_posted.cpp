// SPDX-License-Identifier: Apache-2.0
// Wrong: a permit is lost where the time for the lock is over.
#include <pthread.h>
#include <semaphore.h>

#include <ctime>
#include <thread>

sem_t permits;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void use() {
    sem_wait(&permits);
    const timespec end{};
    if (pthread_mutex_timedlock(&mutex, &end) != 0) {
        return;
    }
    pthread_mutex_unlock(&mutex);
    sem_post(&permits);
}

int main() {
    sem_init(&permits, 0, 1);
    std::thread other(use);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    other.join();
    sem_wait(&permits);
}
