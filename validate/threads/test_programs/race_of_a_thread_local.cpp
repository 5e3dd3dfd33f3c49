// SPDX-License-Identifier: Apache-2.0
// Wrong: two threads write a variable that is thread-local of one of them.
#include <thread>

thread_local int own = 0;

int main() {
    int* there = &own;
    std::thread other([there] { *there = 1; });
    own = 2;
    other.join();
}
