// SPDX-License-Identifier: Apache-2.0
// Wrong: the destructor of a key sets the value again, and is called again: the mutex is left
// locked in the second round.
#include <pthread.h>

#include <thread>

pthread_key_t key;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void give_back(void* value) {
    pthread_mutex_lock(&mutex);
    if (value == &key) {
        pthread_setspecific(key, &mutex);
        pthread_mutex_unlock(&mutex);
    }
}

int main() {
    pthread_key_create(&key, give_back);
    std::thread other([] { pthread_setspecific(key, &key); });
    other.join();
    pthread_mutex_lock(&mutex);
}
