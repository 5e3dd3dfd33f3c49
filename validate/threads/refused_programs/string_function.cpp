// SPDX-License-Identifier: Apache-2.0
// A function of the C library that writes where nobody sees it.
#include <cstring>
#include <thread>

char text[16] = "abc";

int main() {
    std::thread other([] { memfrob(text, 3); });
    other.join();
}
