// SPDX-License-Identifier: Apache-2.0
// Compiled with the hooks, linked with the sanitizer's own runtime.
#include <thread>

int main() {
    std::thread other([] {});
    other.join();
}
