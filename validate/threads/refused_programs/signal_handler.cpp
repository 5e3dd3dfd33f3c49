// SPDX-License-Identifier: Apache-2.0
// A handler of signals runs between any two steps of a thread.
#include <csignal>
#include <thread>

volatile std::sig_atomic_t count = 0;

int main() {
    std::signal(SIGUSR1, [](int) { count = count + 1; });
    std::thread other([] { std::raise(SIGUSR1); });
    other.join();
}
