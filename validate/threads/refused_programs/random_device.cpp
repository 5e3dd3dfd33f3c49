// SPDX-License-Identifier: Apache-2.0
// Asks the system for a random number by the C++ library.
#include <random>
#include <thread>

int main() {
    std::thread other([] {
        if (std::random_device()() == 7) {
            std::abort();
        }
    });
    other.join();
}
