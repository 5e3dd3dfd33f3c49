// SPDX-License-Identifier: Apache-2.0
// Linked with the runtime, compiled as always.
#include <thread>

int counter = 0;

int main() {
    std::thread other([] { ++counter; });
    ++counter;
    other.join();
}
