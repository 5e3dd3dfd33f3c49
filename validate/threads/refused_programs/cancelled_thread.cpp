// SPDX-License-Identifier: Apache-2.0
// A thread that another one ends.
#include <pthread.h>

#include <thread>

int main() {
    std::thread other([] {});
    pthread_cancel(other.native_handle());
    other.join();
}
