// SPDX-License-Identifier: Apache-2.0
// Wrong: unlocks twice.
#include <pthread.h>

#include <thread>

pthread_spinlock_t spin;

int main() {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    std::thread other([] {
        pthread_spin_lock(&spin);
        pthread_spin_unlock(&spin);
        pthread_spin_unlock(&spin);
    });
    other.join();
}
