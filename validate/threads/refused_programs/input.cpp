// SPDX-License-Identifier: Apache-2.0
// Reads a file.
#include <cstdio>
#include <thread>

int main() {
    std::thread other([] {
        if (std::FILE* file = std::fopen("/etc/hostname", "r")) {
            std::fclose(file);
        }
    });
    other.join();
}
