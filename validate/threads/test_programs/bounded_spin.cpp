// SPDX-License-Identifier: Apache-2.0
// A loop that gives up when it has looked three times: no round of it is the one before, whatever
// else stands on the stack. That may be the factor by which stacks are hashed.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <thread>

std::atomic<bool> flag{false};
int gave_up = 0;

void waits(std::size_t first, std::size_t last) {
    volatile std::uint64_t words[24] = {};
    for (std::size_t each = first; each <= last; ++each) {
        words[each] = 0xff51afd7ed558ccdU;
    }
    while (!flag.load(std::memory_order_acquire)) {
        words[0] = words[0] + 1;
        if (words[0] == 3) {
            ++gave_up;
            return;
        }
    }
}

int main(int count, char** arguments) {
    const std::size_t place = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 0;
    std::thread other(waits, place == 0 ? 1 : place, place == 0 ? 23 : place);
    flag.store(true, std::memory_order_release);
    other.join();
    assert(gave_up == 0);
}
