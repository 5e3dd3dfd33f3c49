// SPDX-License-Identifier: Apache-2.0
// Right: two rounds of std::barrier. What is done when all have come happens before they go on.
#include <barrier>
#include <cassert>
#include <thread>

int written[2] = {};
int rounds = 0;

int main() {
    const auto end_of_round = []() noexcept { ++rounds; };
    std::barrier<decltype(end_of_round)> barrier(2, end_of_round);
    const auto work = [&](int own) {
        written[own] = own + 1;
        barrier.arrive_and_wait();
        assert(written[0] + written[1] == 3 && rounds == 1);
        barrier.arrive_and_wait();
        assert(rounds == 2);
    };
    std::thread other(work, 1);
    work(0);
    other.join();
}
