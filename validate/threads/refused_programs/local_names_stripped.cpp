// SPDX-License-Identifier: Apache-2.0
// A function without hooks whose name was taken away.
#include <thread>

void count();

int main() {
    std::thread other(count);
    count();
    other.join();
}
