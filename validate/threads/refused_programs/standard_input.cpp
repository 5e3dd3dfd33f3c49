// SPDX-License-Identifier: Apache-2.0
// Reads standard input by streams.
#include <iostream>
#include <thread>

int main() {
    std::thread other([] {
        int number = 0;
        std::cin >> number;
    });
    other.join();
}
