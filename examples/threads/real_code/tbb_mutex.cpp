// SPDX-License-Identifier: Apache-2.0
// A mutex of oneTBB: MUTEX, in the header of that name. THREADS threads lock it once each.
#include HEADER

#include <cassert>
#include <thread>
#include <vector>

tbb::MUTEX mutex;
int count = 0;

void work() {
    const tbb::MUTEX::scoped_lock lock(mutex);
    ++count;
}

int main() {
    std::vector<std::thread> threads;
    for (int index = 1; index < THREADS; ++index) {
        threads.emplace_back(work);
    }
    work();
    for (std::thread& thread : threads) {
        thread.join();
    }
    assert(count == THREADS);
}
