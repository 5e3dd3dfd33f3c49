// SPDX-License-Identifier: Apache-2.0
// Does something else from its second run on: the C++ library remembers the handler.
#include <atomic>
#include <cstdlib>
#include <exception>
#include <thread>

std::atomic<int> x{0};

void end() { std::abort(); }

int main() {
    if (std::set_unexpected(end) == end) {
        x.store(2);
    }
    std::thread other([] { x.load(); });
    x.store(1);
    other.join();
}
