// SPDX-License-Identifier: Apache-2.0
// A function calls itself for ever, and its stack ends: in itself, or in a hook of an access.
#include <thread>

// NOLINTNEXTLINE(misc-no-recursion)
int depth_below(const volatile int* above) {
    volatile int depth = *above + 1;
    return depth_below(&depth) + depth;
}

int main() {
    std::thread deep([] {
        volatile int none = 0;
        depth_below(&none);
    });
    deep.join();
}
