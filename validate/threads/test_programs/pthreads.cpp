// SPDX-License-Identifier: Apache-2.0
// What pthreads have and the C++ library does not use, once each: right, so it passes.
#include <pthread.h>
#include <semaphore.h>

#include <cassert>
#include <ctime>

pthread_spinlock_t spin;
pthread_key_t key;
sem_t permits;
pthread_mutex_t timed = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
int counted = 0;
int destroyed = 0;
int under_timed = 0;

void destroy(void* value) {
    pthread_spin_lock(&spin);
    destroyed += *static_cast<int*>(value);
    pthread_spin_unlock(&spin);
}

void* work(void*) {
    static int own = 1;
    pthread_setspecific(key, &own);
    assert(pthread_getspecific(key) == &own);
    pthread_spin_lock(&spin);
    ++counted;
    pthread_spin_unlock(&spin);
    if (sem_trywait(&permits) == 0) {
        sem_post(&permits);
    }
    timespec end{};
    clock_gettime(CLOCK_REALTIME, &end);
    if (pthread_mutex_timedlock(&timed, &end) == 0) {
        ++under_timed;
        pthread_mutex_unlock(&timed);
    }
    pthread_rwlock_rdlock(&shared);
    const int read = counted;
    pthread_rwlock_unlock(&shared);
    return read > 0 ? nullptr : &counted;
}

int main() {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_key_create(&key, destroy);
    sem_init(&permits, 0, 1);
    pthread_t other{};
    assert(pthread_create(&other, nullptr, work, nullptr) == 0);
    sem_wait(&permits);
    sem_post(&permits);
    void* returned = &other;
    pthread_join(other, &returned);
    assert(returned == nullptr && counted == 1 && destroyed == 1 && under_timed <= 1);
    int left = 0;
    sem_getvalue(&permits, &left);
    assert(left == 1);
}
