// SPDX-License-Identifier: Apache-2.0
// Reads what another process may have written.
#include <unistd.h>

#include <thread>

int main() {
    std::thread other([] {
        char byte = 0;
        (void)!read(0, &byte, 1);
    });
    other.join();
}
