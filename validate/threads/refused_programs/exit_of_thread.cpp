// SPDX-License-Identifier: Apache-2.0
// A thread that ends in the middle.
#include <pthread.h>

#include <thread>

int main() {
    std::thread other([] { pthread_exit(nullptr); });
    other.join();
}
