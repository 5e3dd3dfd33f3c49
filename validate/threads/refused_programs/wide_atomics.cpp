// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes at once.
#include <atomic>
#include <thread>

struct Pair {
    long first;
    long second;
};
std::atomic<Pair> pair;

int main() {
    std::thread other([] { pair.store({1, 2}); });
    pair.load();
    other.join();
}
