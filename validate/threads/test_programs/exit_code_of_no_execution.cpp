// SPDX-License-Identifier: Apache-2.0
// An exit code that only an impossible order of sequentially consistent accesses would give.
#include <atomic>
#include <thread>

std::atomic<int> x{0};
std::atomic<int> y{0};

int main() {
    int first_read = 0;
    int second_read = 0;
    std::thread first([&] {
        x.store(1);
        first_read = y.load();
    });
    std::thread second([&] {
        y.store(1);
        second_read = x.load();
    });
    first.join();
    second.join();
    return first_read == 0 && second_read == 0 ? 3 : 0;
}
