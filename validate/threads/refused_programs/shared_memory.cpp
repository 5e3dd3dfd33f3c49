// SPDX-License-Identifier: Apache-2.0
// Memory that other processes write.
#include <sys/mman.h>

#include <thread>

int main() {
    std::thread other([] {
        (void)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    });
    other.join();
}
