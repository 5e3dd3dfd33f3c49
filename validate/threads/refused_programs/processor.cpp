// SPDX-License-Identifier: Apache-2.0
// Asks which processor this is, which also orders accesses.
#include <cpuid.h>

#include <thread>

int main() {
    std::thread other([] {
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        __cpuid(0, a, b, c, d);
        if (a == 12345) {
            __builtin_trap();
        }
    });
    other.join();
}
