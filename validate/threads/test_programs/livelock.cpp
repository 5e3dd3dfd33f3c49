// SPDX-License-Identifier: Apache-2.0
// Waits for a flag that nobody sets.
#include <atomic>
#include <thread>

std::atomic<bool> flag{false};

int main() {
    std::thread waiter([] {
        while (!flag.load()) {
        }
    });
    waiter.join();
}
