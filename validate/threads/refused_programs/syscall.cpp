// SPDX-License-Identifier: Apache-2.0
// Calls the kernel by itself.
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

int main() {
    std::thread other([] { syscall(SYS_getppid); });
    other.join();
}
