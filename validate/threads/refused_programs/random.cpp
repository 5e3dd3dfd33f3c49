// SPDX-License-Identifier: Apache-2.0
// Asks the library for a random number, whose state no run begins anew with.
#include <cstdlib>
#include <thread>

int main() {
    std::thread other([] {
        if (std::rand() == 7) {
            std::abort();
        }
    });
    other.join();
}
