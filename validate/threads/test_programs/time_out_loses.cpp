// SPDX-License-Identifier: Apache-2.0
// Wrong: whoever gives up has counted himself as waiting, and is woken all the same.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool free_to_take = false;

bool try_acquire_for(std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> guard(mutex);
    if (!changed.wait_for(guard, time, [] { return free_to_take; })) {
        return false;
    }
    free_to_take = false;
    return true;
}

int main() {
    bool has_taken = true;
    std::thread waiter([&] { has_taken = try_acquire_for(std::chrono::milliseconds(5)); });
    waiter.join();
    assert(has_taken);
}
