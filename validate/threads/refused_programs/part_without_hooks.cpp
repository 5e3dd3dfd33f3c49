// SPDX-License-Identifier: Apache-2.0
// The lock is right, but what it guards is in a part that was compiled without hooks.
#include <thread>

void count();

int main() {
    std::thread other(count);
    count();
    other.join();
}
