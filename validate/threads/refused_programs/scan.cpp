// SPDX-License-Identifier: Apache-2.0
// The variables that sscanf writes are not seen.
#include <cstdio>
#include <thread>

int number = 0;

int main() {
    std::thread other([] { std::sscanf("12", "%d", &number); });
    other.join();
    return number == 12 ? 0 : 1;
}
