// SPDX-License-Identifier: Apache-2.0
// Where the text ends that a library without hooks writes is not known beforehand.
#include <charconv>
#include <thread>

char text[32];

int main() {
    std::thread other([] { std::to_chars(text, text + sizeof(text), 1.5); });
    other.join();
}
