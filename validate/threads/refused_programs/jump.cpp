// SPDX-License-Identifier: Apache-2.0
// Leaves functions without returning from them.
#include <csetjmp>
#include <thread>

int main() {
    std::thread other([] {
        std::jmp_buf place;
        if (setjmp(place) == 0) {
            std::longjmp(place, 1);
        }
    });
    other.join();
}
