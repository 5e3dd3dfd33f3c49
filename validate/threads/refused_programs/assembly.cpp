// SPDX-License-Identifier: Apache-2.0
// An atomic instruction that the compiler does not know of.
#include <thread>

int word = 0;

int main() {
    std::thread other([] { asm volatile("lock incl %0" : "+m"(word)); });
    asm volatile("lock incl %0" : "+m"(word));
    other.join();
}
