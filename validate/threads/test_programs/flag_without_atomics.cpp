// SPDX-License-Identifier: Apache-2.0
// One waits for a plain flag of the other.
#include <thread>

volatile bool is_ready = false;
int value = 0;

int main() {
    std::thread other([] {
        value = 1;
        is_ready = true;
    });
    while (!is_ready) {
    }
    other.join();
}
