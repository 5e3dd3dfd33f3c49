// SPDX-License-Identifier: Apache-2.0
// The counter is in a library that no run begins anew with.
#include <thread>

void count();

int main() {
    std::thread other(count);
    count();
    other.join();
}
