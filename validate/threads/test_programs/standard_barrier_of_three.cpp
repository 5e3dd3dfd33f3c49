// SPDX-License-Identifier: Apache-2.0
// Right, three threads, one of which only arrives and leaves.
#include <barrier>
#include <cassert>
#include <thread>

int written[3] = {};
std::barrier<> barrier(3);

void work(int own) {
    written[own] = 1;
    barrier.arrive_and_wait();
    assert(written[0] + written[1] + written[2] == 3);
}

int main() {
    std::thread first(work, 1);
    std::thread second([] {
        written[2] = 1;
        barrier.arrive_and_drop();
    });
    work(0);
    first.join();
    second.join();
}
