// SPDX-License-Identifier: Apache-2.0
// Refused: linked with -z lazy. At its first call a function is found, and would be called by its
// address from then on, without its rule.
#include <cstdio>
#include <thread>

int main() {
    std::thread thread([] { std::puts("a"); });
    thread.join();
    std::puts("b");
}
