// SPDX-License-Identifier: Apache-2.0
// Wrong: read when the thread has been joined.
#include <thread>

int seen = 0;

int main() {
    int* there = nullptr;
    std::thread other([&there] {
        int own = 5;
        there = &own;
    });
    other.join();
    seen = *there;
}
