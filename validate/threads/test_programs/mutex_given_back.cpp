// SPDX-License-Identifier: Apache-2.0
// Wrong: the mutex is deleted while the other thread may be on its way to lock it.
#include <mutex>
#include <thread>

int main() {
    auto* mutex = new std::mutex;
    std::thread other([mutex] {
        mutex->lock();
        mutex->unlock();
    });
    delete mutex;
    other.join();
}
