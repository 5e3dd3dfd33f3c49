// SPDX-License-Identifier: Apache-2.0
// Asks the kernel for a random number by the C library.
#include <sys/random.h>

#include <thread>

int main() {
    std::thread other([] {
        char byte = 0;
        (void)!getrandom(&byte, 1, 0);
    });
    other.join();
}
