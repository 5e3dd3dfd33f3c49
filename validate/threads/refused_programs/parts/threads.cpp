// SPDX-License-Identifier: Apache-2.0
#include <thread>

int count_with_threads();
int count_with_threads() {
    int counter = 0;
    std::thread other([&counter] { counter = counter + 1; });
    counter = counter + 1;
    other.join();
    return counter;
}
