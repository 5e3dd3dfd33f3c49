// SPDX-License-Identifier: Apache-2.0
// A fence that the hooks do not see.
#include <thread>

int word = 0;

int main() {
    std::thread other([] { asm volatile("mfence" ::: "memory"); });
    word = 1;
    other.join();
}
