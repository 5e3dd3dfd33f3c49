// SPDX-License-Identifier: Apache-2.0
// Goes on for ever without doing anything: a limit ends it.
#include <thread>

int main() {
    std::thread other([] {
        for (int round = 0;; ++round) {
            asm volatile("" : "+r"(round));
        }
    });
    other.join();
}
