// SPDX-License-Identifier: Apache-2.0
// Reads the processor's clock.
#include <x86intrin.h>

#include <cstdlib>
#include <thread>

int main() {
    std::thread other([] {
        if (__rdtsc() % 2 == 0) {
            std::abort();
        }
    });
    other.join();
}
