// SPDX-License-Identifier: Apache-2.0

// Wrong: two mutexes that two threads lock in opposite orders.
#include <mutex>
#include <thread>

std::mutex accounts;
std::mutex journal;

int main() {
    std::thread first([] {
        const std::lock_guard<std::mutex> one(accounts);
        const std::lock_guard<std::mutex> other(journal);
    });
    std::thread second([] {
        const std::lock_guard<std::mutex> one(journal);
        const std::lock_guard<std::mutex> other(accounts);
    });
    first.join();
    second.join();
}
