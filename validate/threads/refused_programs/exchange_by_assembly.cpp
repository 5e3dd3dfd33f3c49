// SPDX-License-Identifier: Apache-2.0
// An exchange with memory is atomic without saying so.
#include <thread>

int word = 0;

int exchange(int value) {
    asm volatile("xchgl %0, %1" : "+r"(value), "+m"(word));
    return value;
}

int main() {
    std::thread other([] { exchange(1); });
    exchange(2);
    other.join();
}
