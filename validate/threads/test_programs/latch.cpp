// SPDX-License-Identifier: Apache-2.0
// The latch of libstdc++ 12: with sc it is right. In weak memory one thread may look before it sees
// that the other has arrived, and then waits for a wake-up that has been.
#include <cassert>
#include <latch>
#include <thread>

std::latch latch(2);
int value = 0;

int main() {
    std::thread other([] {
        latch.arrive_and_wait();
        assert(value == 1);
    });
    value = 1;
    latch.arrive_and_wait();
    other.join();
}
