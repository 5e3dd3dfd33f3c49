// SPDX-License-Identifier: Apache-2.0
// Right: threads of C11.
#include <threads.h>

#include <cassert>

mtx_t mutex;
cnd_t changed;
once_flag once = ONCE_FLAG_INIT;
tss_t key;
int made = 0;
int ready = 0;

void make() { ++made; }

int work(void*) {
    call_once(&once, make);
    tss_set(key, &made);
    assert(tss_get(key) == &made);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    thrd_yield();
    return 7;
}

int main() {
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    tss_create(&key, nullptr);
    thrd_t thread;
    if (thrd_create(&thread, work, nullptr) != thrd_success) {
        return 1;
    }
    call_once(&once, make);
    mtx_lock(&mutex);
    while (ready == 0) {
        cnd_wait(&changed, &mutex);
    }
    mtx_unlock(&mutex);
    int result = 0;
    thrd_join(thread, &result);
    assert(result == 7 && made == 1);
    if (mtx_trylock(&mutex) == thrd_success) {
        mtx_unlock(&mutex);
    }
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
}
