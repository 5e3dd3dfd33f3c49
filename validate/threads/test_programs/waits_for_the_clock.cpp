// SPDX-License-Identifier: Apache-2.0
// Waits for more time than may pass in a test: a limit ends it.
#include <chrono>
#include <thread>

int main() {
    std::thread other([] {
        const auto begin = std::chrono::steady_clock::now();
        for (int hours = 0; hours < 1'000'000;) {
            hours = std::chrono::duration_cast<std::chrono::hours>(
                        std::chrono::steady_clock::now() - begin)
                        .count();
        }
    });
    other.join();
}
