// SPDX-License-Identifier: Apache-2.0
// A reader-writer mutex of oneTBB: MUTEX, in the header of that name. One thread writes, the others
// read.
#include HEADER

#include <cassert>
#include <thread>
#include <vector>

tbb::MUTEX mutex;
int written[2] = {};

void look() {
    const tbb::MUTEX::scoped_lock lock(mutex, false);
    assert(written[0] == written[1]);
}

int main() {
    std::vector<std::thread> threads;
    for (int index = 1; index < THREADS; ++index) {
        threads.emplace_back(look);
    }
    {
        const tbb::MUTEX::scoped_lock lock(mutex, true);
        ++written[0];
        ++written[1];
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}
