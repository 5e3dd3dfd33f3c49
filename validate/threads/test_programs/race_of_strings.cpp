// SPDX-License-Identifier: Apache-2.0
// Wrong: C's functions of strings read and write a text without a lock.
#include <cstring>
#include <thread>

char text[16] = "abc";
volatile unsigned long length = 0;

int main() {
    std::thread other([] { std::strcpy(text, "defg"); });
    length = std::strlen(text);
    other.join();
}
