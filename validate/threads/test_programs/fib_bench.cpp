// SPDX-License-Identifier: Apache-2.0
// fib_bench of the SV-COMP suite: i += j and j += i, and a reader of both. As many executions as
// others find: 19,605 with four rounds and sc (and 218,243 with five); 525,630 with five and
// acquire and release.
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> i{1};
std::atomic<int> j{1};

constexpr auto kLoads = std::memory_order_acquire;
constexpr auto kStores = std::memory_order_release;

void add(std::atomic<int>& to, const std::atomic<int>& from, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        const int old = to.load(kLoads);
        to.store(old + from.load(kLoads), kStores);
    }
}

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 3;
    std::thread first([&] { add(i, j, rounds); });
    std::thread second([&] { add(j, i, rounds); });
    if (i.load(kLoads) > 1000 || j.load(kLoads) > 1000) {
        std::abort();
    }
    first.join();
    second.join();
}
