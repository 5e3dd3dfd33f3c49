// SPDX-License-Identifier: Apache-2.0
// Wrong: an `if` around the wait of C11, and nobody sets what is waited for under the mutex.
#include <threads.h>

mtx_t mutex;
cnd_t changed;
int ready = 0;

int work(void*) {
    ready = 1;
    cnd_signal(&changed);
    return 0;
}

int main() {
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_t thread;
    if (thrd_create(&thread, work, nullptr) != thrd_success) {
        return 1;
    }
    mtx_lock(&mutex);
    if (ready == 0) {
        cnd_wait(&changed, &mutex);
    }
    mtx_unlock(&mutex);
    thrd_join(thread, nullptr);
}
