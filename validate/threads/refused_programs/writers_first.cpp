// SPDX-License-Identifier: Apache-2.0
// A thread that reads twice waits for a writer that waits for it: only where writers come first.
#include <pthread.h>

#include <thread>

pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

int main() {
    std::thread reader([] {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_unlock(&lock);
    });
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    reader.join();
}
