// SPDX-License-Identifier: Apache-2.0
// Makes another process.
#include <sys/types.h>
#include <unistd.h>

#include <thread>

int main() {
    std::thread other([] { (void)fork(); });
    other.join();
}
