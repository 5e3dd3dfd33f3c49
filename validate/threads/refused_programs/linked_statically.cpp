// SPDX-License-Identifier: Apache-2.0
// The C++ library is a part of the program, and has no hooks.
#include <thread>

int main() {
    std::thread other([] {});
    other.join();
}
