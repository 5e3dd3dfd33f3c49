// SPDX-License-Identifier: Apache-2.0

// More executions than anybody waits for: a signal ends the search.
#include <atomic>
#include <thread>

std::atomic<int> first{0};
std::atomic<int> second{0};

void count() {
    for (int round = 0; round < 6; ++round) {
        first.fetch_add(1);
        second.fetch_add(1);
    }
}

int main() {
    std::thread one(count);
    std::thread two(count);
    std::thread three(count);
    count();
    one.join();
    two.join();
    three.join();
}
