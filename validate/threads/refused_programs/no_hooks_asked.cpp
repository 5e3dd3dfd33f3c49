// SPDX-License-Identifier: Apache-2.0
// A function that asks for no hooks: its accesses would not be seen.
#include <thread>

int counter = 0;

#if defined(__clang__)
__attribute__((no_sanitize("thread"), noinline))
#else
__attribute__((no_sanitize_thread, noinline))
#endif
void count() {
    ++counter;
}

int main() {
    std::thread other(count);
    count();
    other.join();
}
